"""One tab pays while the other gives up: whoever wins, money and seats tell one story."""

import pytest

from payments import locks, services
from payments.saga import payment_steps
from payments.sandbox import testing
from tests.payments.buyers import Buyer, money_and_seats_agree, work_until_settled
from tests.race import together

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


def give_up(buyer):
    number = buyer.payment.number
    return services.abort_payment(number=number, fan_id=buyer.fan.pk, now=buyer.now)


def test_paying_and_giving_up_at_once_is_one_of_both(event, fan, now, settings):
    settings.PAYMENT_PATIENCE = settings.PORTONE_TIMEOUT = 15
    for first in (0, 2):
        buyer = Buyer(event, fan, now, first=first)
        buyer.start()
        answer = buyer.agree()
        together(6, lambda n, b=buyer, a=answer: b.confirm(a) if n % 2 else give_up(b))

        is_paid = buyer.payment.state == "succeeded"
        assert is_paid or buyer.payment.state == "cancelled"
        assert buyer.reservation.state == ("confirmed" if is_paid else "held")
        assert bool(testing.net_charged(buyer.payment.number)) == is_paid
    work_until_settled(now)
    assert money_and_seats_agree(event)


def late(buyer):
    """Read before it was paid, given up after."""
    buyer.start()
    read_before = buyer.payment
    buyer.confirm(buyer.agree())
    return payment_steps.cancel_unpaid(read_before, "closed without paying", now=buyer.now)


def test_giving_up_too_late_changes_nothing(buyer):
    assert late(buyer) is None
    assert buyer.payment.state == "succeeded"


def test_control_without_the_state_check_a_charge_is_forgotten(buyer, monkeypatch):
    text = locks.statement("move_payment").replace("AND before.state = ANY(%(allowed)s)", "")
    assert text != locks.statement("move_payment")
    real = locks.statement
    monkeypatch.setattr(
        locks, "statement", lambda name: text if name == "move_payment" else real(name)
    )

    late(buyer)

    assert buyer.payment.state == "cancelled"
    assert testing.net_charged(buyer.payment.number) > 0
