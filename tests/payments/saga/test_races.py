"""Two who settle the same money at the same moment: with the locks, and without."""

from datetime import timedelta
from uuid import uuid4

import pytest

from payments import locks, mails, saga, services
from payments.models import OutboxMessage, Payment
from payments.sandbox import control
from payments.sandbox.control import Behaviour
from reservations import services as reservations
from reservations.errors import HoldOver
from tests.concurrency.together import together, winners
from tests.payments.saga.acting import Buyer, messages, money_and_seats_agree, work

pytestmark = pytest.mark.django_db(transaction=True)
FEW = 6


@pytest.fixture(autouse=True)
def _patient(_site, settings):
    settings.PAYMENT_PATIENCE = settings.PORTONE_TIMEOUT = 15


def test_a_double_click_starts_one_payment(buyer):
    results = together(FEW, lambda _: buyer.start())

    assert len({payment.pk for payment in winners(results)}) == Payment.objects.count() == 1


def test_two_tabs_start_one_payment(buyer):
    results = together(FEW, lambda _: buyer.start(payment_key=uuid4()))

    assert len({payment.pk for payment in winners(results)}) == Payment.objects.count() == 1


def test_a_double_click_charges_once(buyer, event):
    buyer.start()
    answer = buyer.agree()

    results = together(FEW, lambda _: buyer.confirm(answer))

    assert len(winners(results)) == FEW
    assert len(control.charges()) == 1
    assert messages() == ["PaymentSucceeded", "ReservationConfirmed"]
    assert money_and_seats_agree(event)


def test_many_who_settle_at_once_settle_once(buyer, event):
    """A webhook, the clock, an operator and the fan all find out at the same moment."""
    buyer.start()
    pk, answer = buyer.payment.pk, buyer.agree()
    token = answer["paymentToken"]
    saga.mark_charging(buyer.payment, token=token, transaction_id="", now=buyer.now)

    together(FEW, lambda _: services.settle(pk=pk, now=buyer.now))

    assert buyer.payment.state == "succeeded"
    assert messages() == ["PaymentSucceeded", "ReservationConfirmed"]
    assert list(buyer.payment.steps.values_list("after", flat=True)).count("succeeded") == 1
    assert money_and_seats_agree(event)


def test_control_without_looking_where_it_is_a_payment_succeeds_many_times(
    buyer,
    monkeypatch,
):
    text = locks._text("move").replace("AND before.state = ANY(%(allowed)s)", "")
    assert text != locks._text("move")
    real = locks._text
    monkeypatch.setattr(locks, "_text", lambda name: text if name == "move" else real(name))
    buyer.start()
    answer = buyer.agree()

    together(FEW, lambda _: buyer.confirm(answer))

    assert list(buyer.payment.steps.values_list("after", flat=True)).count("charging") > 1


def test_expiry_and_payment_are_one_or_the_other(buyer):
    """At the very moment in which the hold runs out."""
    moment = buyer.reservation.deadline

    def race(number):
        if number % 2:
            return reservations.expire_holds(now=moment)
        return buyer.start(now=moment - timedelta(microseconds=1))

    together(4, race)

    paying = Payment.objects.count()
    assert (buyer.reservation.state, paying) in {("paying", 1), ("expired", 0)}


def test_who_gives_seats_back_while_paying_is_refused(buyer, event):
    buyer.start()
    answer = buyer.agree()
    whose = {"event_id": event.pk, "code": buyer.code, "fan_id": buyer.fan.pk}

    def race(number):
        if number % 2:
            return reservations.release(**whose, now=buyer.now)
        return buyer.confirm(answer)

    together(4, race)

    assert buyer.payment.state == "succeeded"
    assert money_and_seats_agree(event)


def test_the_clock_giving_up_and_the_fan_paying_agree(buyer, event, later):
    """The last moment: whoever is first, nobody pays for nothing."""
    buyer.start()
    pk, answer = buyer.payment.pk, buyer.agree()

    def race(number):
        if number % 2:
            return services.settle(pk=pk, now=later)
        return buyer.confirm(answer, now=later)

    together(4, race)
    for minutes in (1, 12, 20):
        work(later + timedelta(minutes=minutes))

    assert money_and_seats_agree(event)


def test_two_refunds_at_once_give_back_once(buyer, event):
    payment = buyer.buy()

    together(FEW, lambda _: services.refund(pk=payment.pk, why="twice", now=buyer.now))
    work(buyer.now + timedelta(minutes=5))

    assert control.taken(payment.number) == 0
    assert buyer.payment.state == "refunded"
    assert messages().count("Refunded") == 1
    assert money_and_seats_agree(event)


def test_many_workers_take_different_payments(event, fan, now):
    event.seats_per_person = 12
    event.save()
    people = [Buyer(event, fan, now, first=first) for first in range(0, 12, 2)]
    for person in people:
        person.start()
    Payment.objects.update(due_at=now)

    claimed = together(FEW, lambda _: services.claim_due_payments(now=now, batch=2))

    assert sorted(pk for batch in claimed for pk in batch) == sorted(
        Payment.objects.values_list("pk", flat=True)
    )


def test_many_couriers_deliver_each_message_once_and_in_order(buyer, monkeypatch):
    buyer.buy()
    delivered = []
    monkeypatch.setattr(mails, "send_about", lambda kind, body, name: delivered.append(name))

    together(FEW, lambda _: services.deliver_messages(now=buyer.now))

    assert delivered == [f"reservation:{buyer.code}-1", f"reservation:{buyer.code}-2"]
    assert set(OutboxMessage.objects.values_list("state", flat=True)) == {"delivered"}


def test_too_late_is_too_late(buyer):
    with pytest.raises(HoldOver):
        buyer.start(now=buyer.reservation.deadline)


def test_an_unknown_outcome_is_never_charged_twice(buyer, event):
    """The fan's own call has not been answered while workers go on with it."""
    buyer.start()
    answer = buyer.agree(Behaviour.SLOW, seconds=1)
    pk = buyer.payment.pk

    def race(number):
        if number == 0:
            return buyer.confirm(answer)
        return services.settle(pk=pk, now=buyer.now + timedelta(seconds=number))

    together(4, race)
    for minutes in (2, 4):
        work(buyer.now + timedelta(minutes=minutes))

    assert len(control.charges()) == 1
    assert money_and_seats_agree(event)
