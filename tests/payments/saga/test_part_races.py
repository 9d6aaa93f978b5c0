"""Some seats are cancelled while somebody else does something: with the locks, and without."""

from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Barrier, Event

import pytest
from django.db import IntegrityError

from payments.errors import NotRefundable
from payments.models import Payment, Refund
from payments.sandbox import testing
from payments.services import cancellations
from reservations import locks
from reservations import services as reservations
from reservations.errors import TicketNotValid, TicketTransferred, TicketUsed
from reservations.models import Ticket
from tests.making import make_user
from tests.payments.buyers import Buyer, messages, money_and_seats_agree, work
from tests.payments.services.test_part_of_an_order import cancel, go_in, state_of, ticket_of
from tests.race import together, wait_unless_blocking
from tests.waiting import PATIENCE, wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("paying_site"),
    pytest.mark.soak,
]
FEW = 6
PRICE = 154_000


@pytest.fixture
def orders(event, now):
    """Three orders of two seats each, one for each round of a race."""
    buyers = [Buyer(event, make_user(password=None), now, first) for first in (0, 2, 4)]
    for buyer in buyers:
        buyer.buy()
    return buyers


def race(*rivals):
    return together(len(rivals), lambda n: rivals[n]())


def test_a_cancel_pressed_many_times_at_once_refunds_once(orders, event, now):
    buyer = orders[0]

    results = together(FEW, lambda _: cancel(buyer, buyer.seats[0]))
    work(now + timedelta(minutes=5))

    assert {payment.number for payment in results} == {buyer.payment.number}
    assert testing.net_charged(buyer.payment.number) == buyer.payment.left == PRICE
    assert Refund.objects.count() == 1
    assert messages().count("SeatsCancelled") == 1
    assert money_and_seats_agree(event)


def test_two_seats_at_once_are_refunded_once_each(orders, event, now):
    """Who comes second is told to wait, and nothing is lost."""
    for buyer in orders:
        results = race(*(partial(cancel, buyer, seat) for seat in buyer.seats))
        assert any(isinstance(each, Payment) for each in results)
        for seat, result in zip(buyer.seats, results, strict=True):
            if isinstance(result, NotRefundable):
                cancel(buyer, seat)
        assert (buyer.payment.left, buyer.reservation.state) == (0, "refunded")
    assert Refund.objects.filter(state="done").count() == 2 * len(orders)
    assert money_and_seats_agree(event)


def test_a_part_races_the_whole_order(orders, event, now):
    for buyer in orders:
        race(partial(cancel, buyer, buyer.seats[0]), partial(cancel, buyer))
        work(now + timedelta(minutes=5))

        expected = {PRICE: ("confirmed", "sold"), 0: ("refunded", "available")}
        found = (buyer.reservation.state, state_of(buyer.seats[1]))
        assert found == expected[buyer.payment.left]
        assert state_of(buyer.seats[0]) == "available"
    assert money_and_seats_agree(event)


def without_what_was_seen(monkeypatch):
    """Both have read the terms; each begins with the payment as it is then, its tickets unseen."""
    begin, met = cancellations.begin_refund_of, Barrier(2)

    def fresh(payment):
        return Payment.objects.select_related("reservation__event").get(pk=payment.pk)

    def begin_anew(payment, amount, **more):
        met.wait(PATIENCE)
        for _ in range(FEW):
            wait_until(lambda: fresh(payment).state != "refunding")
            with suppress(NotRefundable):
                return begin(fresh(payment), amount, **more)
        raise NotRefundable()

    monkeypatch.setattr(cancellations, "begin_refund_of", begin_anew)
    monkeypatch.setattr(cancellations, "_earlier", lambda *_: None)


def test_a_second_cancel_of_the_same_seat_is_refused_by_its_ticket(orders, monkeypatch):
    without_what_was_seen(monkeypatch)
    buyer = orders[0]

    results = together(2, lambda _: cancel(buyer, buyer.seats[0]))

    assert {type(each) for each in results} == {Payment, TicketNotValid}
    assert testing.net_charged(buyer.payment.number) == PRICE


def test_control_without_either_a_seat_is_refunded_twice(orders, monkeypatch):
    without_what_was_seen(monkeypatch)
    monkeypatch.setattr(reservations, "suspend_tickets", lambda **_: None)
    buyer = orders[0]

    together(2, lambda _: cancel(buyer, buyer.seats[0]))

    assert testing.net_charged(buyer.payment.number) == 0


def test_a_part_races_the_door_of_the_same_seat(orders, event):
    """Nobody has both the money and the show."""
    for buyer in orders:
        seat = buyer.seats[0]
        refunded, answer = race(partial(cancel, buyer, seat), partial(go_in, buyer, seat))

        is_refunded = isinstance(refunded, Payment)
        assert is_refunded != (answer == "valid")
        assert is_refunded or isinstance(refunded, TicketUsed)
        assert ticket_of(buyer, seat).state == ("void" if is_refunded else "used")
    assert money_and_seats_agree(event)


def test_a_part_does_not_keep_the_other_ticket_from_the_door(orders, event):
    for buyer in orders:
        first, second = buyer.seats
        refunded, answer = race(partial(cancel, buyer, first), partial(go_in, buyer, second))

        assert (refunded.refunded, answer) == (PRICE, "valid")
    assert money_and_seats_agree(event)


def cancel_while_the_door_thinks(buyer, monkeypatch, find):
    """The door has found the ticket valid when its seat is cancelled, and says so afterwards."""
    seat, found, is_over = buyer.seats[0], Event(), Event()

    def find_and_think(pk):
        ticket = find(pk)
        found.set()
        wait_unless_blocking(is_over.is_set)
        return ticket

    def cancel_then():
        found.wait(PATIENCE)
        try:
            return cancel(buyer, seat)
        finally:
            is_over.set()

    monkeypatch.setattr(locks, "ticket_for_update", find_and_think)
    return race(cancel_then, partial(go_in, buyer, seat))


def test_who_goes_in_while_the_seat_is_cancelled_is_not_refunded(orders, monkeypatch):
    find = locks.ticket_for_update

    refunded, answer = cancel_while_the_door_thinks(orders[0], monkeypatch, find)

    assert (type(refunded), answer) == (TicketUsed, "valid")


def test_control_without_the_tickets_lock_somebody_is_inside_and_refunded(orders, monkeypatch):
    find = lambda pk: Ticket.objects.get(pk=pk)  # noqa: E731

    refunded, answer = cancel_while_the_door_thinks(orders[0], monkeypatch, find)

    assert (refunded.refunded, answer) == (PRICE, "valid")


def hand_over(buyer, receiver, seat):
    whose = {"code": ticket_of(buyer, seat).code, "fan_id": buyer.fan.pk}
    offer = reservations.offer_ticket(**whose, email=receiver.email, now=buyer.now)
    return partial(reservations.accept_offer, code=offer.code, fan_id=receiver.pk, now=buyer.now)


def test_a_part_races_the_transfer_of_the_same_seat(orders, event):
    """The receiver has a valid ticket, or the giver the money; never both, never neither."""
    for buyer in orders:
        seat = buyer.seats[0]
        accept = hand_over(buyer, make_user(password=None), seat)
        refunded, accepted = race(partial(cancel, buyer, seat), accept)

        is_refunded = isinstance(refunded, Payment)
        assert is_refunded != isinstance(accepted, Ticket)
        assert is_refunded or isinstance(refunded, (TicketTransferred, TicketNotValid))
        assert ticket_of(buyer, seat).state == ("void" if is_refunded else "valid")
    assert money_and_seats_agree(event)


def test_control_without_the_orders_lock_only_a_constraint_keeps_what_was_given_away(
    orders, monkeypatch
):
    """The refund has looked at the ticket before it changes hands, and writes afterwards."""
    buyer, seat = orders[0], orders[0].seats[0]
    accept, seen = hand_over(buyer, make_user(password=None), seat), {}

    def look_before(reservation):
        live = Ticket.objects.filter(reservation=reservation, state__in=Ticket.LIVE)
        seen["tickets"] = list(live)
        [seen["accepted"]] = together(1, lambda _: accept())
        return seen["tickets"]

    for place in (reservations.tickets, reservations.purchases):
        monkeypatch.setattr(place, "reservation_for_update", lambda code, **_: buyer.reservation)
    monkeypatch.setattr(reservations.tickets, "live_tickets_of_reservation_for_update", look_before)

    with pytest.raises(IntegrityError, match="one_live_ticket_per_seat"):
        cancel(buyer, seat)

    assert seen["accepted"].state == "valid"
    assert (state_of(seat), buyer.payment.refunded) == ("sold", 0)
