"""Processes that are killed with SIGKILL in the middle of a charge."""

import signal
from datetime import timedelta

import pytest

from payments.saga.schedule import LEASE
from payments.sandbox import testing
from tests import forks
from tests.payments.buyers import messages, money_and_seats_agree, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
CONFIRM = "tests.payments.saga.killed_process:confirm"


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
    buyer, event, paying_site, step, when, charged
):
    buyer.start()
    token = buyer.agree()["paymentToken"]
    order = {"step": step, "when": when, "now": buyer.now.isoformat(), "fan": buyer.fan.pk}
    order |= {"number": buyer.payment.number, "token": token, "portone_url": paying_site}

    assert forks.run(CONFIRM, **order) == -signal.SIGKILL
    assert bool(testing.net_charged(buyer.payment.number)) is charged

    work(buyer.now + LEASE)
    work(buyer.now + LEASE + timedelta(seconds=5))
    assert buyer.payment.state == "succeeded"
    assert messages() == ["ReservationConfirmed"]
    assert money_and_seats_agree(event)
    assert len(testing.charges()) == 1
