"""Two who want the same ticket at the same moment: with the locks, and without."""

from contextlib import contextmanager, nullcontext
from threading import Barrier, Event

import pytest
from django.db import IntegrityError, connection

from reservations import errors, locks, services
from reservations.models import CheckIn, Reservation, Ticket
from reservations.selectors import tickets as selectors
from reservations.tickets import signing
from tests.making import make_user, seat_ids
from tests.race import together, winners
from tests.reservations.acting import hold
from tests.reservations.tickets.conftest import buy, make_doorkeeper, scan

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.soak]
FEW = 6
ROUNDS = 4


@pytest.fixture
def unlock(monkeypatch):
    """From now on all have looked before anybody does as they saw fit; of two the door is last."""

    def unlock(count=2):
        met, other_is_done = Barrier(count), Event()

        def look(pk):
            found = Ticket.objects.get(pk=pk)
            met.wait(60)
            assert count > 2 or other_is_done.wait(60)
            return found

        def look_with_the_order(code, **owner):
            found = Ticket.objects.get(code=code, **owner)
            met.wait(60)
            return found

        def look_at_all(reservation):
            found = list(Ticket.objects.filter(reservation=reservation, state__in=Ticket.LIVE))
            met.wait(60)
            return found

        monkeypatch.setattr(locks, "ticket_for_update", look)
        monkeypatch.setattr(locks, "ticket_and_reservation_for_update", look_with_the_order)
        monkeypatch.setattr(services.tickets, "live_tickets_of_reservation_for_update", look_at_all)
        return other_is_done

    return unlock


def this_or_the_door(other, door, unlock):
    """What both of them returned, or raised."""
    other_is_done = unlock()

    def one(number):
        try:
            return (other, door)[number]()
        finally:
            if number == 0:
                connection.close()  # for good: the door sees what it did
                other_is_done.set()

    return together(2, one)


@contextmanager
def without(name: str, table: str):
    """Without this constraint, for the moment."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [name])
        (definition,) = cursor.fetchone()
        cursor.execute(f'DROP INDEX "{name}"')
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {table} CASCADE")
            cursor.execute(definition)


def let_in():
    return CheckIn.objects.filter(answer="valid", undone_at=None).count()


def scan_at_many_doors(event, ticket, now):
    doors, text = [make_doorkeeper() for _ in range(FEW)], signing.qr_text(ticket)
    return together(FEW, lambda n: scan(event, text, doors[n], now))


def test_two_doors_let_one_in(event, ticket, now):
    results = scan_at_many_doors(event, ticket, now)

    answers = sorted(entry.answer for entry in winners(results))
    assert answers == ["used"] * (FEW - 1) + ["valid"]
    assert ticket.changes.filter(what="checked_in").count() == 1


def test_without_the_lock_the_constraint_has_the_last_word(event, ticket, now, unlock):
    unlock(FEW)
    results = scan_at_many_doors(event, ticket, now)

    assert [entry.answer for entry in winners(results)] == ["valid"]
    assert sum(isinstance(it, IntegrityError) for it in results) == FEW - 1
    assert let_in() == 1


def test_control_without_either_many_walk_in(event, ticket, now, unlock):
    unlock(FEW)
    with without("one_use_per_ticket", "reservations_checkin"):
        scan_at_many_doors(event, ticket, now)

        assert let_in() > 1


def test_one_scan_that_is_sent_many_times_counts_once(event, ticket, doorkeeper, now):
    entry = scan(event, "not a ticket", doorkeeper, now)
    key = type(entry.key)(int=entry.key.int ^ 1)

    results = together(FEW, lambda _: scan(event, ticket.code, doorkeeper, now, key=key))

    assert [it.answer for it in winners(results)] == ["valid"] * FEW
    assert CheckIn.objects.filter(key=key).count() == 1


# -- a refund, or the door ------------------------------------------------------------------------


def refund_or_go_in(event, order, doorkeeper, now, unlock=Event):
    """What became of both: (refunded, let in)."""
    text = signing.qr_text(order.tickets.first())
    refund, answer = this_or_the_door(
        lambda: services.refund(code=order.code, now=now),
        lambda: scan(event, text, doorkeeper, now).answer,
        unlock,
    )
    return isinstance(refund, Reservation), answer == "valid"


def test_a_ticket_is_refunded_or_used(event, fan, doorkeeper, now):
    for seat in seat_ids(event)[:ROUNDS]:
        order = buy(event, fan, now, seat)
        refunded, inside = refund_or_go_in(event, order, doorkeeper, now)

        assert refunded != inside
        order.refresh_from_db()
        states = {True: ("refunded", "void"), False: ("confirmed", "used")}
        assert (order.state, order.tickets.get().state) == states[refunded]


def test_control_without_the_locks_it_is_both(event, fan, doorkeeper, now, unlock):
    order = buy(event, fan, now, seat_ids(event)[0])

    assert refund_or_go_in(event, order, doorkeeper, now, unlock) == (True, True)


# -- somebody else, or the door -------------------------------------------------------------------


def accept_or_go_in(event, order, fan, rival, doorkeeper, now, unlock=Event):
    ticket = order.tickets.get()
    text = signing.qr_text(ticket)
    whose = {"code": ticket.code, "fan_id": fan.pk}
    offer = services.offer_ticket(**whose, email=rival.email, now=now)
    given, answer = this_or_the_door(
        lambda: services.accept_offer(code=offer.code, fan_id=rival.pk, now=now),
        lambda: scan(event, text, doorkeeper, now).answer,
        unlock,
    )
    return isinstance(given, Ticket), answer == "valid"


def test_a_ticket_is_given_away_or_used(event, fan, rival, doorkeeper, now):
    for seat in seat_ids(event)[:ROUNDS]:
        order = buy(event, fan, now, seat)
        given, inside = accept_or_go_in(event, order, fan, rival, doorkeeper, now)

        assert given != inside
        live = order.tickets.get(state__in=Ticket.LIVE)
        assert (live.holder, live.state) == ((rival, "valid") if given else (fan, "used"))


def test_without_the_lock_one_live_ticket_has_the_last_word(
    event, fan, rival, doorkeeper, now, unlock
):
    order = buy(event, fan, now, seat_ids(event)[0])

    assert accept_or_go_in(event, order, fan, rival, doorkeeper, now, unlock) == (True, False)


def test_control_without_either_both_have_it(event, fan, rival, doorkeeper, now, unlock):
    order = buy(event, fan, now, seat_ids(event)[0])

    with without("one_live_ticket_per_seat", "reservations_ticket"):
        assert accept_or_go_in(event, order, fan, rival, doorkeeper, now, unlock) == (True, True)


def test_an_offer_is_accepted_once(ticket, fan, rival, now):
    whose = {"code": ticket.code, "fan_id": fan.pk}
    code = services.offer_ticket(**whose, email=rival.email, now=now).code

    results = together(FEW, lambda _: services.accept_offer(code=code, fan_id=rival.pk, now=now))

    assert len(winners(results)) == 1
    assert Ticket.objects.filter(holder=rival).count() == 1


def test_an_order_is_refunded_while_its_tickets_change_hands(event, order, fan, rival, now):
    """Both lock the order first, so nobody waits in a circle."""
    tickets = list(order.tickets.all())
    offers = [
        services.offer_ticket(code=it.code, fan_id=fan.pk, email=rival.email, now=now)
        for it in tickets
    ]
    steps = [
        *(
            lambda it=it: services.accept_offer(code=it.code, fan_id=rival.pk, now=now)
            for it in offers
        ),
        lambda: services.refund(code=order.code, now=now),
    ]

    results = together(3, lambda n: steps[n]())

    refusals = [it for it in results if isinstance(it, Exception)]
    assert all(isinstance(it, errors.NoOffer | errors.TicketNotValid) for it in refusals)
    assert not order.tickets.filter(state__in=Ticket.LIVE).exists()


# -- the receiver's limit -------------------------------------------------------------------------


@pytest.fixture
def almost_full(event, fan, rival, ticket, now):
    """The receiver has three of four, and is offered one."""
    hold(event, rival, now, *seat_ids(event)[4:7])
    whose = {"code": ticket.code, "fan_id": fan.pk}
    return services.offer_ticket(**whose, email=rival.email, now=now)


def accept_and_choose(event, rival, offer, now, *, when=nullcontext):
    def choose():
        with when():
            hold(event, rival, now, seat_ids(event)[8])

    steps = [
        lambda: services.accept_offer(code=offer.code, fan_id=rival.pk, now=now),
        choose,
    ]
    together(2, lambda n: steps[n]())
    return selectors.seats_counted(event_id=event.pk, fan_id=rival.pk)


def test_nobody_gets_past_the_limit_by_accepting_and_choosing_at_once(
    event, rival, almost_full, now
):
    assert accept_and_choose(event, rival, almost_full, now) == 4


def test_control_without_the_persons_lock_they_do(event, rival, almost_full, now, monkeypatch):
    real, counted, chosen = services.transfers._require_limit, Event(), Event()

    def count_and_wait(*args):
        real(*args)
        counted.set()
        assert chosen.wait(60)

    @contextmanager
    def between():
        assert counted.wait(60)
        yield
        chosen.set()

    monkeypatch.setattr(locks, "lock_person_limit", lambda **_: None)
    monkeypatch.setattr(services.transfers, "_require_limit", count_and_wait)

    assert accept_and_choose(event, rival, almost_full, now, when=between) == 5


def test_many_offers_at_once_stay_within_the_limit(event, rival, now):
    offers = []
    for seat in seat_ids(event)[:FEW]:
        giver = make_user(password=None)
        code = buy(event, giver, now, seat).tickets.get().code
        whose = {"code": code, "fan_id": giver.pk}
        offers.append(services.offer_ticket(**whose, email=rival.email, now=now).code)

    together(FEW, lambda n: services.accept_offer(code=offers[n], fan_id=rival.pk, now=now))

    assert selectors.seats_counted(event_id=event.pk, fan_id=rival.pk) == 4
