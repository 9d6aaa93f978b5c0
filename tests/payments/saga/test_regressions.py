"""Odd ways to lose money or seats. Each of these went wrong once."""

from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest

from payments import errors, locks, services
from payments.models import OutboxMessage, Payment, Refund
from payments.outbox import mails
from payments.saga import refund_steps, schedule
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from reservations.errors import NotOnSale
from tests.making import make_user
from tests.payments.buyers import (
    Buyer,
    add_earlier_message,
    ask_gateway,
    messages,
    money_and_seats_agree,
    seat_states,
    work,
)
from tests.payments.race_controls import while_uncommitted
from ticketing.core import clock
from ticketing.events.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


def refund_elsewhere(payment, amount, left=None):
    """By somebody at the gateway's own console."""
    ask_gateway(
        "refund",
        number=payment.number,
        amount=amount,
        refundable=payment.charged if left is None else left,
        reason="console",
        key=uuid4().hex,
        timeout=60,
    )


def look_now(buyer, minutes=1):
    schedule.settle_soon(buyer.payment.number, buyer.now)
    return work(buyer.now + timedelta(minutes=minutes))


# -- seats without money --------------------------------------------------------------------------


def test_a_test_channel_buys_nothing_where_money_is_wanted(buyer, event, settings):
    """The channel is named by the browser: whoever changes it pays with play money."""
    settings.PORTONE_TAKES_TEST = False

    buyer.buy()
    work(buyer.now)

    assert buyer.payment.failure_code == "paid through a test channel"
    assert (buyer.payment.state, seat_states(buyer)) == ("refunded", {"held"})


def test_money_that_went_back_elsewhere_takes_the_seats_along(buyer, event):
    payment = buyer.buy()
    refund_elsewhere(payment, payment.charged)

    look_now(buyer)

    assert (buyer.payment.state, buyer.payment.left) == ("refunded", 0)
    assert (buyer.reservation.state, seat_states(buyer)) == ("refunded", {"available"})
    assert messages()[1:] == ["Refunded", "ReservationCancelled"]
    assert money_and_seats_agree(event)


def test_a_part_that_went_back_elsewhere_is_written_down(buyer):
    payment = buyer.buy()
    refund_elsewhere(payment, 4_000)

    look_now(buyer)

    assert (buyer.payment.state, buyer.payment.refunded) == ("partially_refunded", 4_000)
    assert seat_states(buyer) == {"sold"}
    assert services.refund_payment(pk=payment.pk, why="the rest", now=buyer.now).state == "refunded"


def test_whoever_gives_all_back_gives_the_seats_back(buyer, event):
    payment = buyer.buy()

    services.refund_payment(pk=payment.pk, why="x", frees_seats=False, now=buyer.now)

    assert (buyer.reservation.state, seat_states(buyer)) == ("refunded", {"available"})
    assert money_and_seats_agree(event)


# -- money without seats --------------------------------------------------------------------------


def test_what_was_charged_before_we_knew_that_it_could_be_is_not_forgotten(buyer, event, settings):
    """We died between registering the amount and writing that down; then the window charged."""
    settings.PORTONE_MANUAL_CONFIRM = False
    settings.PORTONE_CHANNEL_KEY = "channel-key-sandbox-direct"
    buyer.start()
    Payment.objects.update(state="pending")
    buyer.agree()

    look_now(buyer)

    assert buyer.payment.state == "succeeded"
    assert money_and_seats_agree(event)


def test_a_window_left_open_for_an_hour_is_found_out_without_a_webhook(
    buyer, event, settings, later
):
    settings.PORTONE_MANUAL_CONFIRM = False
    settings.PORTONE_CHANNEL_KEY = "channel-key-sandbox-direct"
    buyer.start()
    work(later)
    work(later + timedelta(minutes=11))

    buyer.agree(Behaviour.LOSE_WEBHOOK)
    for hours in (2, 3, 26, 27):
        work(later + timedelta(hours=hours))

    assert buyer.payment.state == "refunded"
    assert money_and_seats_agree(event)


def test_nobody_pays_for_what_will_not_take_place(buyer, event):
    Event.objects.update(state="cancelled")

    with pytest.raises(NotOnSale):
        buyer.start()
    assert (buyer.reservation.state, Payment.objects.count()) == ("held", 0)


def test_who_cancels_what_was_cancelled_pays_no_fee(buyer, event):
    payment = buyer.buy()
    Event.objects.update(state="cancelled")
    then = buyer.now + timedelta(days=29, hours=23)

    terms = services.cancellation_terms(number=payment.number, fan_id=buyer.fan.pk, now=then)

    assert (terms.fee, terms.refund) == (0, payment.amount)


# -- refunds --------------------------------------------------------------------------------------


def test_what_is_owed_goes_back_even_if_a_part_went_back_elsewhere(buyer, event):
    buyer.buy(Behaviour.WRONG_AMOUNT)
    assert buyer.payment.state == "refunding"
    refund_elsewhere(buyer.payment, 5_000)

    for hours in (0, 1, 2, 5):
        work(buyer.now + timedelta(hours=hours))

    assert (buyer.payment.state, testing.net_charged(buyer.payment.number)) == ("refunded", 0)
    assert sum(Refund.objects.values_list("amount", flat=True)) == buyer.payment.charged


def test_a_refund_is_asked_for_anew_if_a_part_went_back_elsewhere(buyer):
    payment = buyer.buy()
    refund_elsewhere(payment, 5_000)

    after = services.refund_payment(pk=payment.pk, amount=8_000, why="sorry", now=buyer.now)
    for minutes in (5, 10):
        work(buyer.now + timedelta(minutes=minutes))

    assert after.number == payment.number
    assert testing.net_charged(payment.number) == payment.charged - 13_000
    assert (buyer.payment.state, buyer.payment.refunded) == ("partially_refunded", 13_000)


def test_a_refund_decided_on_old_figures_is_not_begun(buyer):
    old = buyer.buy()
    services.refund_payment(pk=old.pk, amount=4_000, why="first", now=buyer.now)

    begun = refund_steps.begin(old, old.left, why="second", frees_seats=True, now=buyer.now)

    assert begun is None
    assert buyer.payment.state == "partially_refunded"


def test_one_who_has_it_all_back_does_not_hold_up_the_others(event, now, monkeypatch):
    """Between finding whom to pay back and doing it, one got everything by another way."""
    people = [Buyer(event, make_user(password=None), now, first=2 * n) for n in range(2)]
    for person in people:
        person.buy()
    real = services.refunds.begin_refund

    def faster(**wish):
        if wish["pk"] == people[0].payment.pk:
            services.settle_payment(pk=real(**wish).pk, now=now)
        return real(**wish)

    monkeypatch.setattr(services.refunds, "begin_refund", faster)

    services.refund_event_batch(event_id=event.pk, why="x", by=None, now=now)

    assert {person.payment.state for person in people} == {"refunded"}


# -- stuck ----------------------------------------------------------------------------------------


def test_a_key_that_is_taken_this_very_moment_leaves_the_seats_held(buyer, event, fan, now):
    """The other payment of this key is written, but not yet committed."""
    other = Buyer(event, fan, now, first=2)

    refusal = while_uncommitted(buyer.start, partial(other.start, payment_key=buyer.key))

    assert isinstance(refusal, errors.KeyReused)
    assert other.reservation.state == "held"


def test_a_stale_read_does_not_unschedule_the_settlement(buyer):
    """Somebody saw it paid, and has nothing to do; meanwhile a refund began."""
    seen = buyer.buy()
    Payment.objects.update(due_at=buyer.now + schedule.LEASE)
    seen.refresh_from_db()
    refund_steps.begin(seen, seen.left, why="x", frees_seats=True, now=buyer.now)

    schedule.settle_at(seen, None)

    assert buyer.payment.due_at is not None


@pytest.mark.parametrize("state", ["pending", "prepared", "charging", "refunding"])
def test_the_database_keeps_what_is_under_way_on_the_list(buyer, state):
    from django.db import IntegrityError

    buyer.start()

    with pytest.raises(IntegrityError, match="under_way"):
        Payment.objects.update(state=state, due_at=None)


# -- the outbox -----------------------------------------------------------------------------------


def test_a_slow_worker_does_not_lend_its_messages_to_others(buyer, monkeypatch):
    """Its round takes longer than a lease; each message is its own from when it takes it."""
    buyer.buy()
    add_earlier_message(buyer)
    passed, stolen = {"s": 0.0}, []
    monkeypatch.setattr(clock, "monotonic", lambda: passed["s"])

    def slow(message, related, connection):
        passed["s"] += 70
        others = buyer.now + timedelta(seconds=passed["s"] - 20)
        stolen.append(locks.claim_outbox_messages(now=others, lease=others, limit=9))

    monkeypatch.setattr(mails, "send_about", slow)

    services.deliver_messages(now=buyer.now)

    assert stolen == [[], []]
    assert set(OutboxMessage.objects.values_list("state", flat=True)) == {"delivered"}
