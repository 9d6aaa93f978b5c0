"""Commands and tasks that end expired holds and correct Redis from PostgreSQL."""

from datetime import timedelta

import pytest
from django.core.management import CommandError

from reservations import errors, gate, keys, services
from reservations.models import Reservation
from tests.making import seat_ids
from tests.reservations.acting import hold, shut_seats
from tests.waiting_queue.commands.calling import run
from ticketing.core import redis
from ticketing.events.models import Seat

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def held(event, fan, now):
    return hold(event, fan, now, *seat_ids(event)[:2]).reservation


def test_the_command_ends_expired_holds(held, now):
    Reservation.objects.update(created_at=now - timedelta(hours=1), deadline=now)

    assert run("expire_holds") == ("1 holds ran out.\n", "")


def test_the_command_rebuilds_a_lost_redis(event, held, rival, now):
    redis.client().flushdb()

    out, _ = run("seats_reconcile")

    assert f"Event {event.pk}: 10 seats free (Redis said unknown), 2 gates shut." in out
    assert gate.seats_left(event.pk) == 10
    assert set(shut_seats(event)) == set(seat_ids(event)[:2])
    with pytest.raises(errors.SeatsTaken):
        gate.begin_attempt(event.pk, rival.pk, seat_ids(event)[:1], now)


def test_the_task_corrects_a_wrong_count(event, held):
    redis.client().set(keys.seats_left(event.pk), -3)

    (count,) = services.recount_events_on_sale()

    assert (count.left, count.free, count.stored) == (-3, 10, True)
    assert gate.seats_left(event.pk) == 10


def test_a_count_during_which_seats_changed_is_repeated(event, fan, now, monkeypatch):
    services.recount_seats(event_id=event.pk)
    one, two, *_ = seat_ids(event)
    real, seen = gate.last_update_id, []

    def busy(event_id):
        """Somebody holds a seat between reading the last update and counting."""
        last = real(event_id)
        seen.append(last)
        if len(seen) <= 2:
            hold(event, fan, now, [one, two][len(seen) - 1])
        return last

    monkeypatch.setattr(gate, "last_update_id", busy)

    assert services.recount_seats(event_id=event.pk).free == 10
    assert len(seen) == 3
    assert gate.seats_left(event.pk) == 10


def test_inconsistent_seats_are_reported(event, held):
    Seat.objects.filter(pk=seat_ids(event)[0]).update(state="available")
    Seat.objects.filter(pk=seat_ids(event)[5]).update(state="sold")

    with pytest.raises(CommandError):
        run("seats_reconcile", event.pk)
    assert services.inconsistent_seats(event_id=event.pk) == {
        ("available", "held"): 1,
        ("sold", ""): 1,
    }
