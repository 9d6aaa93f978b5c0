"""Real processes, really killed, in the middle of a charge."""

import signal
from datetime import timedelta

import pytest

from payments.saga.schedule import LEASE
from payments.sandbox import testing
from tests.payments.saga.acting import messages, money_and_seats_agree, work
from tests.payments.saga.dying import Nursery

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def nursery(origin):
    nursery = Nursery(f"{origin}/sandbox/portone")
    yield nursery
    nursery.close()


@pytest.mark.parametrize(
    ("step", "when", "charged"),
    [
        ("mark_charging", "after", False),
        ("charge", "after", True),
        ("confirm", "after", True),  # in the middle of the transaction: it is as if never begun
        ("add_messages", "after", True),
        ("succeed", "after", True),
    ],
)
def test_a_process_that_is_killed_leaves_what_another_resumes(
    buyer, event, nursery, step, when, charged
):
    buyer.start()
    token = buyer.agree()["paymentToken"]
    order = {"step": step, "when": when, "now": buyer.now.isoformat(), "fan": buyer.fan.pk}

    assert nursery.die(**order, number=buyer.payment.number, token=token) == -signal.SIGKILL
    assert bool(testing.net_charged(buyer.payment.number)) is charged

    work(buyer.now + LEASE)
    work(buyer.now + LEASE + timedelta(seconds=5))
    assert buyer.payment.state == "succeeded"
    assert messages() == ["PaymentSucceeded", "ReservationConfirmed"]
    assert money_and_seats_agree(event)
    assert len(testing.charges()) == 1
