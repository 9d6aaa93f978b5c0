"""Money and tickets: who walked in is not paid back, who is paid back does not walk in."""

from functools import partial
from threading import Event as Flag
from uuid import uuid4

import pytest

from payments import errors, services
from payments.models import Payment, Refund
from payments.sandbox.testing import Behaviour
from reservations import errors as reservations_errors
from reservations import locks
from reservations import services as reservations
from reservations.models import Ticket
from tests.making import make_user
from tests.payments.buyers import Buyer
from tests.race import together, wait_unless_blocking
from tests.waiting import PATIENCE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


def states(buyer):
    return set(buyer.reservation.tickets.values_list("state", flat=True))


def go_in(buyer):
    scan = reservations.Scan(key=uuid4(), text=buyer.reservation.tickets.first().code)
    door = make_user(password=None)
    return reservations.check_in(event_id=buyer.event.pk, scan=scan, by=door, now=buyer.now).answer


def refund(buyer, **more):
    return services.refund_payment(
        **{"pk": buyer.payment.pk, "why": "test", "now": buyer.now} | more
    )


def test_tickets_come_with_the_payment_and_go_with_the_refund(buyer):
    buyer.buy()
    assert states(buyer) == {"valid"}

    refund(buyer)

    assert states(buyer) == {"void"}
    assert go_in(buyer) == "void"


def test_who_walked_in_is_not_paid_back(buyer):
    buyer.buy()
    go_in(buyer)

    with pytest.raises(reservations_errors.TicketUsed):
        refund(buyer)
    assert buyer.payment.state == "succeeded"
    assert not Refund.objects.exists()


def test_they_may_be_given_money_and_stay(buyer):
    buyer.buy()
    go_in(buyer)

    assert refund(buyer, frees_seats=False).state == "refunded"
    assert buyer.reservation.state == "confirmed"


def test_a_refused_refund_gives_the_tickets_back(buyer):
    buyer.buy(Behaviour.REFUND_REFUSED)

    refund(buyer)

    assert states(buyer) == {"valid"}
    assert go_in(buyer) == "valid"


def test_tickets_admit_nobody_while_a_refund_is_pending(buyer):
    buyer.buy(Behaviour.REFUND_PENDING, seconds=60)

    assert refund(buyer).state == "refunding"
    assert go_in(buyer) == "void"


def test_a_fan_does_not_cancel_what_was_given_away(buyer, rival):
    buyer.buy()
    code = buyer.reservation.tickets.first().code
    whose = {"code": code, "fan_id": buyer.fan.pk}
    offer = reservations.offer_ticket(**whose, email=rival.email, now=buyer.now)
    reservations.accept_offer(code=offer.code, fan_id=rival.pk, now=buyer.now)

    whose = {"number": buyer.payment.number, "fan_id": buyer.fan.pk, "now": buyer.now}
    with pytest.raises(reservations_errors.TicketTransferred):
        services.cancel_order(**whose, fee=0)
    assert buyer.payment.state == "succeeded"


def test_a_cancelled_event_pays_those_back_who_are_inside(event, now):
    people = [Buyer(event, make_user(password=None), now, first) for first in (0, 4)]
    for buyer in people:
        buyer.buy()
    go_in(people[0])

    services.refund_event(event_id=event.pk, why="storm", by=None, now=now)

    assert set(Payment.objects.values_list("state", flat=True)) == {"refunded"}
    assert [states(buyer) for buyer in people] == [{"used", "valid"}, {"void"}]


def test_money_that_goes_back_without_the_seats_races_the_door(event, now):
    """It goes back in any case; the seats go with it, unless somebody sits there."""
    for first in (0, 4, 8):
        buyer = Buyer(event, make_user(password=None), now, first)
        buyer.buy()
        keeping = partial(refund, buyer, frees_seats=False)
        paid_back, answer = together(
            2, lambda n, it=buyer, keep=keeping: (keep, lambda: go_in(it))[n]()
        )

        assert paid_back.state == "refunded"
        expected = ("confirmed", {"used", "valid"}) if answer == "valid" else ("refunded", {"void"})
        assert (buyer.reservation.state, states(buyer)) == expected


def while_the_door_thinks(buyer, monkeypatch, find):
    """The door has found the ticket valid when the money goes back: (answer, the order's state).

    It says so once the refund is through, or waits for the door.
    """
    found_it, paid_back = Flag(), Flag()

    def find_and_think(pk):
        ticket = find(pk)
        found_it.set()
        wait_unless_blocking(paid_back.is_set)
        return ticket

    def pay_back():
        found_it.wait(PATIENCE)
        refund(buyer, frees_seats=False)
        paid_back.set()

    monkeypatch.setattr(locks, "ticket_for_update", find_and_think)
    _, answer = together(2, lambda n: (pay_back, lambda: go_in(buyer))[n]())
    return answer, buyer.reservation.state


def test_who_walks_in_while_the_money_goes_back_keeps_the_seat(buyer, monkeypatch):
    buyer.buy()

    outcome = while_the_door_thinks(buyer, monkeypatch, locks.ticket_for_update)

    assert outcome == ("valid", "confirmed")


def test_control_without_the_tickets_lock_somebody_sits_on_a_seat_that_is_on_sale(
    buyer, monkeypatch
):
    buyer.buy()

    outcome = while_the_door_thinks(buyer, monkeypatch, lambda pk: Ticket.objects.get(pk=pk))

    assert outcome == ("valid", "refunded")


def test_a_refund_races_the_door(event, now):
    """Whoever is first: nobody has both the money and the show."""
    for first in (0, 4, 8):
        buyer = Buyer(event, make_user(password=None), now, first)
        buyer.buy()
        paid_back, answer = together(2, lambda n, it=buyer: (refund, go_in)[n](it))

        is_paid_back = isinstance(paid_back, Payment)
        assert is_paid_back != (answer == "valid")
        expected = {True: ("refunded", {"void"}), False: ("succeeded", {"used", "valid"})}
        assert (buyer.payment.state, states(buyer)) == expected[is_paid_back]
        assert is_paid_back or not isinstance(paid_back, errors.NotRefundable)
