"""Money goes back: all, a part, by the fan with a fee, for a whole event; and refusals."""

from datetime import timedelta

import pytest

from payments import errors, keys, selectors, services
from payments.models import Payment, Refund, RefundPolicy
from payments.models.policies import TIERS
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from payments.selectors import cancellation_terms
from payments.services import refunds
from tests.making import make_event, make_user
from tests.payments.buyers import (
    Buyer,
    end_pending_refunds,
    messages,
    money_and_seats_agree,
    seat_states,
    work,
)
from tests.waiting_queue.commands.calling import run
from ticketing.core import redis

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


@pytest.fixture
def paid(buyer):
    assert buyer.buy().state == "succeeded"
    return buyer


def refund(buyer, **more):
    return services.refund_payment(
        **{"pk": buyer.payment.pk, "why": "test", "now": buyer.now} | more
    )


def test_all_of_it_frees_the_seats(paid, event):
    assert refund(paid).state == "refunded"

    assert paid.reservation.state == "refunded"
    assert seat_states(paid) == {"available"}
    assert messages()[1:] == ["Refunded", "ReservationCancelled"]
    assert money_and_seats_agree(event)


def test_a_part_leaves_the_seats(paid):
    payment = refund(paid, amount=4_000)

    assert (payment.state, payment.refunded) == ("partially_refunded", 4_000)
    assert (paid.reservation.state, seat_states(paid)) == ("confirmed", {"sold"})
    assert refund(paid, amount=1_000).refunded == 5_000
    assert refund(paid).state == "refunded"
    assert testing.net_charged(payment.number) == 0


@pytest.mark.parametrize("amount", [0, -5, 10**9])
def test_no_more_than_there_is_can_go_back(paid, amount):
    with pytest.raises(errors.TooMuchToRefund):
        refund(paid, amount=amount)
    assert not Refund.objects.exists()


def test_what_was_not_paid_can_not_go_back(buyer):
    buyer.start()

    with pytest.raises(errors.TooMuchToRefund):
        refund(buyer)


def test_a_refused_refund_leaves_everything_as_it_was(buyer, event):
    buyer.buy(Behaviour.REFUND_REFUSED)

    payment = refund(buyer)

    assert (payment.state, payment.refunded) == ("succeeded", 0)
    assert Refund.objects.get().state == "refused"
    assert seat_states(buyer) == {"sold"}
    assert money_and_seats_agree(event)


def test_while_the_breaker_is_open_a_refund_stays_due(paid):
    """However often it was tried before: it is to follow as soon as the gateway is back."""
    Payment.objects.update(attempts=10)
    later = paid.now + timedelta(hours=1)
    opened, probing = (int(1000 * at.timestamp()) for at in (paid.now, later))
    redis.client().hset(keys.breaker("portone"), mapping={"opened": opened, "probing": probing})

    assert refund(paid).state == "refunding"

    assert paid.payment.due_at <= paid.now + timedelta(seconds=1)


def test_a_refund_that_takes_a_while_frees_the_seats_only_then(buyer, event):
    buyer.buy(Behaviour.REFUND_PENDING, seconds=60)

    assert refund(buyer).state == "refunding"
    assert seat_states(buyer) == {"sold"}
    end_pending_refunds()
    work(buyer.now + timedelta(minutes=5))
    assert buyer.payment.state == "refunded"
    assert money_and_seats_agree(event)


# -- by the fan -----------------------------------------------------------------------------------


def test_soon_after_the_order_it_is_free(paid, event):
    terms = services.cancellation_terms(
        number=paid.payment.number, fan_id=paid.fan.pk, now=paid.now
    )
    assert (terms.fee, terms.refund) == (0, paid.payment.amount)

    done = services.cancel_order(
        number=paid.payment.number, fan_id=paid.fan.pk, fee=0, now=paid.now
    )
    assert done.state == "refunded"
    assert money_and_seats_agree(event)


def test_later_a_fee_is_kept_and_the_seats_go_back(paid):
    whose = {"number": paid.payment.number, "fan_id": paid.fan.pk}
    now = paid.now + timedelta(days=15)
    fee = 2 * 4_000  # a ticket costs more than ten times as much

    assert services.cancellation_terms(**whose, now=now).fee == fee
    payment = services.cancel_order(**whose, fee=fee, now=now)

    assert (payment.state, payment.left) == ("partially_refunded", fee)
    assert (paid.reservation.state, seat_states(paid)) == ("refunded", {"available"})


def test_another_fee_than_was_agreed_to_stops_it(paid):
    whose = {"number": paid.payment.number, "fan_id": paid.fan.pk}

    with pytest.raises(errors.FeeChanged):
        services.cancel_order(**whose, fee=0, now=paid.now + timedelta(days=15))
    assert paid.payment.state == "succeeded"


def test_who_was_paid_back_by_an_operator_has_not_cancelled(paid):
    refund(paid)

    with pytest.raises(errors.NotRefundable):
        services.cancel_order(number=paid.payment.number, fan_id=paid.fan.pk, fee=0, now=paid.now)


def test_who_was_refused_may_cancel_anew(buyer):
    buyer.buy(Behaviour.REFUND_REFUSED)
    whose = {"number": buyer.payment.number, "fan_id": buyer.fan.pk, "now": buyer.now}

    assert [services.cancel_order(**whose, fee=0).state for _ in range(2)] == ["succeeded"] * 2
    assert Refund.objects.filter(state="refused").count() == 2


def test_a_repeat_is_answered_after_the_show_too(paid):
    whose = {"number": paid.payment.number, "fan_id": paid.fan.pk, "fee": 0}
    services.cancel_order(**whose, now=paid.now)

    again = services.cancel_order(**whose, now=paid.event.starts_at + timedelta(days=1))

    assert (again.state, again.refunded) == ("refunded", again.charged)


@pytest.mark.parametrize(
    ("days_after_order", "days_before_show", "percent"),
    [
        *[(0, 30, 0), (7, 23, 0), (8, 22, 10), (20, 10, 10), (21, 9, 10), (23, 7, 10)],
        *[(24, 6, 20), (27, 3, 20), (28, 2, 30), (29, 1, 30), (30, 0, None)],
    ],
)
def test_the_usual_terms(event, now, days_after_order, days_before_show, percent):
    event.starts_at = now + timedelta(days=days_after_order + days_before_show)
    then = now + timedelta(days=days_after_order)

    found = cancellation_terms.fee_rate(
        policy=RefundPolicy(event=event), event=event, ordered_at=now, now=then
    )

    assert (found and found.percent) == percent
    assert (found and found.amount) == (4_000 if days_after_order in (8, 20) else None)


def test_near_the_show_nothing_is_free_even_just_after_the_order(event, now):
    event.starts_at = now + timedelta(days=3)

    rate = cancellation_terms.fee_rate(
        policy=RefundPolicy(event=event), event=event, ordered_at=now, now=now
    )

    assert rate == cancellation_terms.FeeRate(20)


def test_an_event_has_terms_of_its_own_and_an_order_keeps_those_it_was_sold_under(
    event, now, fan, rival
):
    RefundPolicy.objects.create(event=event, free_days=0, free_hours=0, tiers=[[5, 50]])
    before = Buyer(event, fan, now)
    before.buy()
    RefundPolicy.objects.update(tiers=[[5, 80]])
    after = Buyer(event, rival, now, first=4)
    after.buy()
    RefundPolicy.objects.all().delete()

    percents = [
        services.cancellation_terms(
            number=buyer.payment.number, fan_id=buyer.fan.pk, now=now + timedelta(days=1)
        ).rate.percent
        for buyer in (before, after)
    ]

    assert percents == [50, 80]


def test_an_order_of_an_event_without_terms_keeps_the_usual_ones(paid, event):
    RefundPolicy.objects.create(event=event, free_days=0, free_hours=0, tiers=[[5, 50]])

    assert paid.payment.terms == RefundPolicy().terms
    assert selectors.policy_of_payment(paid.payment).tiers == [[10, 10, 4_000], *TIERS[1:]]


# -- a whole event --------------------------------------------------------------------------------


def test_a_cancelled_event_pays_everybody_back_and_goes_on_after_a_crash(event, now):
    people = [Buyer(event, make_user(password=None), now, first=2 * n) for n in range(3)]
    for person in people:
        person.buy()
    other = make_event(now)
    stranger = Buyer(other, make_user(password=None), now)
    stranger.buy()

    terms = {"event_id": event.pk, "why": "cancelled", "by": None, "now": now}
    assert services.refund_event_batch(**terms, batch=1) == 1
    assert selectors.refund_progress(event.pk) == {"refunded": 1, "succeeded": 2}
    assert services.refund_event(**terms) == 2

    assert selectors.refund_progress(event.pk) == {"refunded": 3}
    assert stranger.payment.state == "succeeded"
    assert services.refund_event(**terms) == 0
    assert money_and_seats_agree(event)


def test_a_refusal_does_not_hold_up_the_others(event, now):
    people = [Buyer(event, make_user(password=None), now, first=2 * n) for n in range(2)]
    people[0].buy(Behaviour.REFUND_REFUSED)
    people[1].buy()

    assert services.refund_event(event_id=event.pk, why="x", by=None, now=now) == 2

    assert selectors.refund_progress(event.pk) == {"refunded": 1, "succeeded": 1}


def test_a_cancelled_event_pays_back_by_itself(buyer, event, now):
    buyer.buy()
    assert services.refund_cancelled_events(now=now) == 0
    type(event).objects.update(state="cancelled")

    assert services.refund_cancelled_events(now=now) == 1

    assert buyer.payment.state == "refunded"
    assert services.refund_cancelled_events(now=now) == 0


def test_an_event_is_paid_back_from_the_shell(buyer, event):
    buyer.buy()

    out, _ = run("payments_refund_event", event.pk, "flood")

    assert "1 refunds were begun" in out
    assert "refunded: 1" in out
    assert Refund.objects.get().why == "flood"


def test_the_shell_says_how_far_it_is_while_it_pays_back(event, now, monkeypatch):
    monkeypatch.setattr(refunds.arefund_event_batch, "__kwdefaults__", {"batch": 2})
    for first in (0, 4, 8):
        Buyer(event, make_user(password=None), now, first).buy()

    out, _ = run("payments_refund_event", event.pk, "flood")

    assert "3 payments are to go back." in out
    assert out.index("2 of 3 …") < out.index("3 of 3 …") < out.index("3 refunds were begun")
