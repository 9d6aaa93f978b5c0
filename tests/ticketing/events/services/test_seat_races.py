"""Operators who hold back the same seats concurrently, with and without row locks."""

from threading import Barrier

import pytest

from tests.making import make_event, make_plan, seat_ids
from tests.race import together, winners
from ticketing.core.errors import IllegalMove
from ticketing.events import services
from ticketing.events.models import EventChange, Seat
from ticketing.events.services import seats as seat_services

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 8


def block_concurrently(event, now, choose):
    return together(
        MANY,
        lambda number: services.block_seats(
            event_id=event.pk, seat_ids=choose(number), by=None, reason="camera", now=now
        ),
    )


def test_one_of_many_gets_the_seats_and_the_others_are_refused(now):
    event = make_event(now)
    seats = seat_ids(event)[:4]

    results = block_concurrently(event, now, lambda _: seats)

    assert winners(results) == [4]
    assert sum(isinstance(result, IllegalMove) for result in results) == MANY - 1
    assert EventChange.objects.filter(event=event, what="seats 4").count() == 1


def test_overlapping_blocks_in_any_order_never_deadlock(now):
    """Each thread names the seats in another order; the rows are locked in key order."""
    event = make_event(now, plan=make_plan(rows=5, seats_per_row=20))
    seats = seat_ids(event)

    results = block_concurrently(event, now, lambda n: seats[n:] + seats[:n])

    assert winners(results) == [100]
    assert {type(result) for result in results if result != 100} == {IllegalMove}


def test_control_without_the_lock_everyone_succeeds(now, monkeypatch):
    event = make_event(now)
    all_have_read = Barrier(MANY)

    def seats_without_lock(event_id, wanted):
        seats = list(Seat.objects.filter(event_id=event_id, pk__in=wanted))
        all_have_read.wait(60)
        return seats

    monkeypatch.setattr(seat_services, "seats_for_update", seats_without_lock)

    results = block_concurrently(event, now, lambda _: seat_ids(event)[:4])

    assert winners(results) == [4] * MANY
