"""Operators and schedulers that change one event concurrently, with and without the row lock."""

from threading import Barrier

import pytest

from tests.making import make_event, make_user
from tests.race import together, winners
from ticketing.core.errors import IllegalMove
from ticketing.events import services
from ticketing.events.errors import SeatsExist
from ticketing.events.models import Event, EventChange
from ticketing.events.services import events as event_services
from ticketing.events.services import seats as seat_services

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 8


@pytest.fixture
def unlocked(monkeypatch):
    """The control: all threads read the event before any of them writes it, as without a lock."""
    all_have_read = Barrier(MANY)

    def event_without_lock(event_id: int) -> Event:
        event = Event.objects.get(pk=event_id)
        all_have_read.wait(60)
        return event

    monkeypatch.setattr(event_services, "event_for_update", event_without_lock)
    monkeypatch.setattr(seat_services, "event_for_update", event_without_lock)
    monkeypatch.setattr(seat_services, "plan_for_update", lambda plan_id: None)


def pause_concurrently(event, now):
    operator = make_user(is_staff=True)
    return together(
        MANY,
        lambda _: services.move_event(
            event_id=event.pk, to=Event.State.PAUSED, by=operator, now=now
        ),
    )


def test_of_many_concurrent_pauses_one_succeeds(now):
    results = pause_concurrently(event := make_event(now), now)

    assert len(winners(results)) == 1
    assert sum(isinstance(result, IllegalMove) for result in results) == MANY - 1
    assert EventChange.objects.filter(event=event, what="state").count() == 1


def test_control_without_the_lock_every_pause_succeeds(now, unlocked):
    results = pause_concurrently(event := make_event(now, seats=False), now)

    assert len(winners(results)) == MANY
    assert EventChange.objects.filter(event=event, what="state").count() == MANY


def create_concurrently(event, now):
    return together(MANY, lambda _: services.create_seats(event_id=event.pk, by=None, now=now))


def test_of_many_concurrent_seat_creations_one_succeeds(now):
    event = make_event(now, seats=False)

    results = create_concurrently(event, now)

    assert winners(results) == [12]
    assert sum(isinstance(result, SeatsExist) for result in results) == MANY - 1
    assert event.seats.count() == 12


def test_control_without_the_lock_only_the_constraint_prevents_duplicates(
    now, unlocked, monkeypatch
):
    """The lock makes the others a domain error; the constraint prevents the duplicates."""
    event = make_event(now, seats=False)
    grades_of, all_have_checked = seat_services._grades_of, Barrier(MANY)

    def after_checking(*args):
        all_have_checked.wait(60)
        return grades_of(*args)

    monkeypatch.setattr(seat_services, "_grades_of", after_checking)

    results = create_concurrently(event, now)

    assert winners(results) == [12]
    assert {type(result).__name__ for result in results if result != 12} == {"IntegrityError"}
    assert event.seats.count() == 12


def test_concurrent_schedulers_open_each_sale_once(now):
    due = [make_event(now, state=Event.State.ANNOUNCED) for _ in range(3)]

    results = together(MANY, lambda _: services.open_due_sales(now=now))

    opened = [event.pk for events in results for event in events]
    assert sorted(opened) == [event.pk for event in due]
    assert EventChange.objects.filter(what="state").count() == 3


def test_control_schedulers_without_the_lock_open_a_sale_many_times(now, monkeypatch):
    make_event(now, state=Event.State.ANNOUNCED)
    all_have_read = Barrier(MANY)

    def due_without_lock(now):
        due = list(Event.objects.filter(state=Event.State.ANNOUNCED))
        all_have_read.wait(60)
        return due

    monkeypatch.setattr(event_services, "due_events_for_update", due_without_lock)

    results = together(MANY, lambda _: services.open_due_sales(now=now))

    assert sum(len(events) for events in results) == MANY
