"""At the door: each answer, once only, undone in time, and counted."""

from datetime import timedelta
from uuid import uuid4

import pytest

from reservations import errors, services
from reservations.models import CheckIn, Ticket
from reservations.selectors import check_ins
from reservations.tickets import signing
from tests.making import make_event
from tests.reservations.tickets.conftest import scan
from ticketing.events.models import Event

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_a_ticket_lets_one_person_in_once(event, ticket, doorkeeper, now):
    first = scan(event, signing.qr_text(ticket), doorkeeper, now, door="North")
    second = scan(event, signing.qr_text(ticket), doorkeeper, now + MINUTE)

    assert (first.answer, second.answer, second.earlier) == ("valid", "used", now)
    ticket.refresh_from_db()
    assert (ticket.state, ticket.used_at) == ("used", now)
    change = ticket.changes.latest("id")
    assert (change.what, change.by, change.after) == ("checked_in", doorkeeper, "North")


@pytest.mark.parametrize("spelled", ["{0}", " {0} ", "{1}-{2}", "{1} {2}"])
def test_its_code_can_be_typed_in_any_way(event, ticket, doorkeeper, now, spelled):
    code = ticket.code.lower()

    entry = scan(event, spelled.format(code, code[:5], code[5:]), doorkeeper, now)

    assert (entry.answer, entry.ticket) == ("valid", ticket)


@pytest.mark.parametrize("text", ["", "hello", "qt_AAAA", "BCDFGHJKLM", "https://example.com/x"])
def test_what_is_no_ticket_is_said_to_be_none(event, doorkeeper, now, text):
    entry = scan(event, text, doorkeeper, now)

    assert (entry.answer, entry.ticket) == ("unknown", None)


def test_a_ticket_of_another_event_stays_good(event, ticket, doorkeeper, now):
    other = make_event(now)

    assert scan(other, ticket.code, doorkeeper, now).answer == "wrong_event"
    assert scan(event, ticket.code, doorkeeper, now).answer == "valid"


def test_after_a_refund_nobody_gets_in(event, order, ticket, doorkeeper, now):
    services.refund(code=order.code, now=now)

    entry = scan(event, signing.qr_text(ticket), doorkeeper, now)

    assert (entry.answer, entry.reason) == ("void", "refunded")


def test_nobody_gets_in_to_a_cancelled_event(event, ticket, doorkeeper, now):
    Event.objects.filter(pk=event.pk).update(state=Event.State.CANCELLED)

    entry = scan(event, ticket.code, doorkeeper, now)

    assert (entry.answer, entry.reason) == ("void", "cancelled")


def test_the_same_key_is_told_the_same_again(event, ticket, doorkeeper, now):
    key = uuid4()
    first = scan(event, ticket.code, doorkeeper, now, key=key)

    assert scan(event, ticket.code, doorkeeper, now + MINUTE, key=key) == first
    assert CheckIn.objects.count() == 1


def test_what_was_scanned_without_network_keeps_its_time(event, ticket, doorkeeper, now):
    earlier = now - 30 * MINUTE

    scan(event, ticket.code, doorkeeper, now, scanned_at=earlier, offline=True)

    ticket.refresh_from_db()
    assert ticket.used_at == earlier


@pytest.mark.parametrize("wrong", [timedelta(days=-3), timedelta(hours=1)])
def test_a_clock_that_is_plainly_wrong_is_not_believed(event, ticket, doorkeeper, now, wrong):
    assert scan(event, ticket.code, doorkeeper, now, scanned_at=now + wrong).scanned_at == now


def test_two_who_were_let_in_without_network_are_noticed(event, ticket, doorkeeper, now):
    first = scan(event, ticket.code, doorkeeper, now, offline=True)
    second = scan(event, ticket.code, doorkeeper, now, offline=True)

    assert (first.is_conflict, second.is_conflict) == (False, True)


def test_a_check_in_can_be_undone(event, ticket, doorkeeper, now):
    first = scan(event, ticket.code, doorkeeper, now)

    undone = services.undo_check_in(key=first.key, by=doorkeeper, now=now + MINUTE, why="wrong")

    assert (undone.undone_at, undone.undone_by) == (now + MINUTE, doorkeeper)
    ticket.refresh_from_db()
    assert (ticket.state, ticket.used_at) == ("valid", None)
    assert ticket.changes.latest("id").why == "wrong"
    assert scan(event, ticket.code, doorkeeper, now + 2 * MINUTE).answer == "valid"


def test_undoing_twice_undoes_only_what_it_meant(event, ticket, doorkeeper, now):
    first = scan(event, ticket.code, doorkeeper, now)
    services.undo_check_in(key=first.key, by=doorkeeper, now=now)
    scan(event, ticket.code, doorkeeper, now)

    services.undo_check_in(key=first.key, by=doorkeeper, now=now)

    assert Ticket.objects.get(pk=ticket.pk).state == "used"


def test_after_ten_minutes_it_stands(event, ticket, doorkeeper, now):
    first = scan(event, ticket.code, doorkeeper, now)

    with pytest.raises(errors.TooLateToUndo):
        services.undo_check_in(key=first.key, by=doorkeeper, now=now + 11 * MINUTE)


@pytest.mark.parametrize("text", ["used", "hello"])
def test_only_what_let_somebody_in_can_be_undone(event, ticket, doorkeeper, now, text):
    scan(event, ticket.code, doorkeeper, now)
    refused = scan(event, ticket.code if text == "used" else text, doorkeeper, now)

    with pytest.raises(errors.NoCheckIn):
        services.undo_check_in(key=refused.key, by=doorkeeper, now=now)


def test_everybody_who_is_inside_is_counted(event, order, ticket, doorkeeper, now):
    scan(event, ticket.code, doorkeeper, now)

    counts = check_ins.door_counts(event.pk)

    assert (counts.inside, counts.expected) == (1, 2)
    assert [(it.name, it.inside, it.expected) for it in counts.parts] == [("가 구역", 1, 2)]


def test_the_door_is_chosen_among_the_events_of_these_days(event, now):
    tonight = make_event(now, starts_at=now + timedelta(hours=3), doors_at=now)
    draft = make_event(now, starts_at=now + timedelta(hours=3), doors_at=now, state="draft")

    near, later = check_ins.door_events(now)

    assert (near, later) == ([tonight], [event])
    assert draft not in near + later
