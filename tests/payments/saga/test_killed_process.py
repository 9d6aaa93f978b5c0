"""Processes that are killed with SIGKILL in the middle of a charge."""

import signal
from datetime import timedelta

import pytest

from payments.saga.schedule import LEASE
from payments.sandbox import testing
from tests.payments.buyers import messages, money_and_seats_agree, work
from tests.payments.saga.killed_process import BuyerProcesses

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


@pytest.fixture(scope="module")
def buyer_processes(origin):
    processes = BuyerProcesses(f"{origin}/sandbox/portone")
    yield processes
    processes.close()


@pytest.mark.parametrize(
    ("step", "when", "charged"),
    [
        ("start_charge", "after", False),
        ("charge", "after", True),
        ("succeed", "before", True),
        ("publish_sale", "before", True),  # committed, and not yet published
        ("succeed", "after", True),
    ],
)
def test_a_process_that_is_killed_leaves_what_another_resumes(
    buyer, event, buyer_processes, step, when, charged
):
    buyer.start()
    token = buyer.agree()["paymentToken"]
    order = {"step": step, "when": when, "now": buyer.now.isoformat(), "fan": buyer.fan.pk}

    assert buyer_processes.run(**order, number=buyer.payment.number, token=token) == -signal.SIGKILL
    assert bool(testing.net_charged(buyer.payment.number)) is charged

    work(buyer.now + LEASE)
    work(buyer.now + LEASE + timedelta(seconds=5))
    assert buyer.payment.state == "succeeded"
    assert messages() == ["ReservationConfirmed"]
    assert money_and_seats_agree(event)
    assert len(testing.charges()) == 1
