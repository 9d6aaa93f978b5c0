"""A fan cancels some seats of an order: fee per seat, the rest stays valid, the money agrees."""

from datetime import timedelta
from uuid import uuid4

import pytest

from payments import errors, services
from payments.models import Payment, Refund
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from reservations import errors as reservations_errors
from reservations import services as reservations
from reservations.models import CancelledSeat, ReturnedSeat
from reservations.selectors import tickets as ticket_selectors
from tests.making import make_user
from tests.payments.buyers import (
    Buyer,
    ask_gateway,
    end_pending_refunds,
    messages,
    money_and_seats_agree,
    seat_states,
    work,
)
from tests.reservations.acting import hold
from ticketing.events.models import Approval, Event, Seat

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
PRICE = 154_000
LATER = timedelta(days=15)


@pytest.fixture
def paid(buyer):
    assert buyer.buy().state == "succeeded"
    return buyer


def terms(buyer, **more):
    whose = {"number": buyer.payment.number, "fan_id": buyer.fan.pk, "now": buyer.now}
    return services.cancellation_terms(**whose | more)


def cancel(buyer, *seats, fee=0, **more):
    whose = {"number": buyer.payment.number, "fan_id": buyer.fan.pk, "now": buyer.now}
    return services.cancel_order(**whose | {"fee": fee, "seats": seats or None} | more)


def ticket_of(buyer, seat):
    return buyer.reservation.tickets.filter(seat=seat).latest("pk")


def go_in(buyer, seat):
    scan = reservations.Scan(key=uuid4(), text=ticket_of(buyer, seat).code)
    door = make_user(password=None)
    return reservations.check_in(event_id=buyer.event.pk, scan=scan, by=door, now=buyer.now).answer


def state_of(seat):
    return Seat.objects.get(pk=seat).state


def test_one_seat_goes_back_and_the_other_stays_valid(paid, event):
    first, second = paid.seats

    payment = cancel(paid, first)

    assert (payment.state, payment.refunded, payment.fees) == ("partially_refunded", PRICE, 0)
    assert testing.net_charged(payment.number) == payment.left == PRICE
    assert paid.reservation.state == "confirmed"
    assert [state_of(first), state_of(second)] == ["available", "sold"]
    assert [go_in(paid, first), go_in(paid, second)] == ["void", "valid"]
    assert messages()[1:] == ["Refunded", "SeatsCancelled"]
    assert money_and_seats_agree(event)


def test_each_seat_has_its_fee_and_the_fees_stay_kept(paid, event):
    first, second = paid.seats
    now = paid.now + LATER
    assert [each.fee for each in terms(paid, now=now).seats] == [4_000, 4_000]

    part = cancel(paid, first, fee=4_000, now=now)
    rest = cancel(paid, second, fee=4_000, now=now)

    assert (part.refunded, part.fees, part.left) == (PRICE - 4_000, 4_000, PRICE + 4_000)
    assert (rest.refunded, rest.fees, rest.left) == (2 * (PRICE - 4_000), 8_000, 8_000)
    assert (paid.reservation.state, seat_states(paid)) == ("refunded", {"available"})
    assert testing.net_charged(rest.number) == 8_000
    assert messages()[1:] == ["Refunded", "SeatsCancelled", "Refunded", "ReservationCancelled"]
    assert money_and_seats_agree(event)


def test_a_seat_that_went_back_can_be_bought_by_another_and_stays_theirs(paid, event, rival):
    first, second = paid.seats
    cancel(paid, first)
    other = Buyer(event, rival, paid.now, seats=[first])
    other.buy()

    cancel(paid, second)

    assert (state_of(first), state_of(second)) == ("sold", "available")
    assert other.reservation.state == "confirmed"
    assert money_and_seats_agree(event)


def test_with_one_ticket_used_only_the_others_are_offered_and_cancelled(paid, event):
    first, second = paid.seats
    go_in(paid, first)

    offered = terms(paid)
    assert [each.seat["id"] for each in offered.chosen] == [second]
    assert offered.refund == PRICE
    with pytest.raises(reservations_errors.TicketUsed):
        cancel(paid)
    with pytest.raises(reservations_errors.TicketUsed):
        cancel(paid, first)

    assert cancel(paid, second).left == PRICE
    assert (ticket_of(paid, first).state, ticket_of(paid, second).state) == ("used", "void")
    assert money_and_seats_agree(event)


def test_what_was_given_away_is_not_offered_and_the_rest_is(paid, rival):
    first, second = paid.seats
    code = ticket_of(paid, first).code
    whose = {"code": code, "fan_id": paid.fan.pk}
    offer = reservations.offer_ticket(**whose, email=rival.email, now=paid.now)
    reservations.accept_offer(code=offer.code, fan_id=rival.pk, now=paid.now)

    assert [each.seat["id"] for each in terms(paid).chosen] == [second]
    with pytest.raises(reservations_errors.TicketTransferred):
        cancel(paid, first)
    cancel(paid, second)

    assert (ticket_of(paid, first).state, state_of(first)) == ("valid", "sold")


def test_a_repeat_returns_the_first_result(paid):
    first, second = paid.seats

    results = [cancel(paid, first) for _ in range(3)]

    assert {payment.refunded for payment in results} == {PRICE}
    assert Refund.objects.count() == 1
    assert [cancel(paid, second).refunded for _ in range(2)] == [2 * PRICE] * 2
    assert Refund.objects.count() == 2


def test_all_seats_by_name_are_the_whole_order(paid):
    results = [cancel(paid, *reversed(paid.seats)) for _ in range(2)]

    assert {payment.state for payment in results} == {"refunded"}
    assert Refund.objects.get().seats == []
    assert not CancelledSeat.objects.exists()


@pytest.mark.parametrize("seats", [[], [10**12]])
def test_seats_that_the_order_does_not_have_cancel_nothing(paid, seats):
    with pytest.raises(errors.NotRefundable):
        services.cancel_order(
            number=paid.payment.number, fan_id=paid.fan.pk, fee=0, seats=seats, now=paid.now
        )
    assert paid.payment.state == "succeeded"


def test_the_fee_of_other_seats_stops_it(paid):
    with pytest.raises(errors.FeeChanged):
        cancel(paid, paid.seats[0], fee=8_000, now=paid.now + LATER)
    assert paid.payment.state == "succeeded"


def test_a_refused_refund_leaves_the_seat_and_its_ticket(buyer, event):
    buyer.buy(Behaviour.REFUND_REFUSED)

    assert cancel(buyer, buyer.seats[0]).state == "succeeded"

    assert seat_states(buyer) == {"sold"}
    assert {go_in(buyer, seat) for seat in buyer.seats} == {"valid"}
    assert money_and_seats_agree(event)


def test_while_the_refund_is_pending_the_other_ticket_lets_in_and_nothing_else_is_cancelled(
    buyer, event
):
    buyer.buy(Behaviour.REFUND_PENDING, seconds=60)
    first, second = buyer.seats

    assert cancel(buyer, first).state == "refunding"
    assert cancel(buyer, first).state == "refunding"  # a repeat
    with pytest.raises(errors.RefundInProgress):
        cancel(buyer, second)
    assert [go_in(buyer, first), go_in(buyer, second)] == ["void", "valid"]
    end_pending_refunds()
    work(buyer.now + timedelta(minutes=5))

    assert (state_of(first), state_of(second)) == ("available", "sold")
    assert money_and_seats_agree(event)


def test_a_webhook_of_the_partial_cancellation_changes_nothing_more(paid, event, settings):
    cancel(paid, paid.seats[0])
    testing.wait()
    Payment.objects.update(due_at=paid.now)

    work(paid.now + timedelta(minutes=1))

    assert (paid.payment.refunded, paid.payment.state) == (PRICE, "partially_refunded")
    assert Refund.objects.count() == 1
    assert money_and_seats_agree(event)


def test_what_is_refunded_at_the_gateway_itself_counts_for_all_seats(paid):
    """It names no seat, so they stay; cancelling one returns its share of what is left."""
    number = paid.payment.number
    order = {"number": number, "amount": PRICE, "refundable": 2 * PRICE}
    ask_gateway("refund", **order, reason="kind", key=str(uuid4()), timeout=20)
    services.settle_payment(pk=paid.payment.pk, now=paid.now)
    assert (seat_states(paid), paid.payment.refunded) == ({"sold"}, PRICE)

    payment = cancel(paid, paid.seats[0])

    assert (payment.refunded, payment.left) == (PRICE + PRICE // 2, PRICE // 2)
    assert testing.net_charged(number) == payment.left
    assert paid.reservation.state == "confirmed"
    assert state_of(paid.seats[1]) == "sold"


def test_the_returned_seat_is_kept_for_the_standby_list(paid, event):
    Event.objects.update(state="sold_out", returns="standby")

    cancel(paid, paid.seats[0])

    assert state_of(paid.seats[0]) == "held"
    assert list(ReturnedSeat.objects.values_list("seat_id", flat=True)) == [paid.seats[0]]


def test_a_cancelled_seat_does_not_count_against_the_limit(paid, event):
    whose = {"event_id": event.pk, "fan_id": paid.fan.pk}
    assert ticket_selectors.seats_counted(**whose) == 2

    cancel(paid, paid.seats[0])

    assert ticket_selectors.seats_counted(**whose) == 1
    assert hold(event, paid.fan, paid.now, paid.seats[0]).reservation.state == "held"


def test_a_cancelled_event_refunds_the_rest_and_not_the_fee(paid, event):
    cancel(paid, paid.seats[0], fee=4_000, now=paid.now + LATER)
    Event.objects.update(state="cancelled")

    assert services.refund_cancelled_events(now=paid.now + LATER) == 1
    assert services.refund_cancelled_events(now=paid.now + LATER) == 0

    assert (paid.payment.left, paid.payment.fees) == (4_000, 4_000)
    assert paid.reservation.state == "refunded"
    assert testing.net_charged(paid.payment.number) == 4_000


def test_a_cancelled_event_refunds_once_who_is_inside_and_had_cancelled_a_seat(paid, event):
    first, second = paid.seats
    cancel(paid, first, fee=4_000, now=paid.now + LATER)
    go_in(paid, second)
    Event.objects.update(state="cancelled")

    assert services.refund_cancelled_events(now=paid.now + LATER) == 1
    assert services.refund_cancelled_events(now=paid.now + LATER) == 0

    assert (paid.payment.left, ticket_of(paid, second).state) == (4_000, "used")


def test_an_approved_refund_of_all_orders_waits_for_a_cancellation_under_way(buyer, event):
    buyer.buy(Behaviour.REFUND_PENDING, seconds=60)
    cancel(buyer, buyer.seats[0])
    asked = Approval.objects.create(
        event=event,
        action="refund_event",
        state="approved",
        why="ill",
        asked_at=buyer.now,
        expires_at=buyer.now,
    )

    begun = []
    for minutes in (0, 5, 10):
        now = buyer.now + timedelta(minutes=minutes)
        end_pending_refunds()
        work(now)
        begun.append(services.refund_approved_events(now=now))

    assert begun == [0, 1, 0]
    assert (buyer.payment.left, buyer.reservation.state) == (0, "refunded")
    asked.refresh_from_db()
    assert asked.finished_at == now
    assert money_and_seats_agree(event)


def test_an_operator_may_refund_the_fee_too(paid):
    cancel(paid, paid.seats[0], fee=4_000, now=paid.now + LATER)

    payment = services.refund_payment(pk=paid.payment.pk, why="kind", now=paid.now)

    assert (payment.state, payment.left, payment.fees) == ("refunded", 0, 0)
