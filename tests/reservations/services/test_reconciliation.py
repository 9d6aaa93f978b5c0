"""Commands and tasks that end expired holds and correct Redis from PostgreSQL."""

from datetime import timedelta

import pytest
from django.core.management import CommandError

from reservations import errors, gate, keys, services
from reservations.models import Reservation
from reservations.services import reconciliation
from tests.making import seat_ids
from tests.reservations.acting import best, hold, shut_seats
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


@pytest.fixture
def published_later(monkeypatch):
    """Holds are committed, but published only when this is called."""
    waiting, real = [], gate.publish_seats
    monkeypatch.setattr(gate, "publish_seats", lambda *args, **more: waiting.append((args, more)))

    def publish():
        for args, more in waiting:
            real(*args, **more)

    return publish


@pytest.mark.parametrize("wanted", ["named", "best"])
def test_a_hold_that_is_published_after_it_was_counted_is_counted_once(
    event, fan, now, published_later, wanted
):
    services.recount_seats(event_id=event.pk)
    hold(event, fan, now, *seat_ids(event)[:2]) if wanted == "named" else best(event, fan, now, 2)

    services.recount_seats(event_id=event.pk)
    published_later()

    assert gate.seats_left(event.pk) == 10


def test_a_hold_that_is_published_after_the_gate_was_rebuilt_is_counted_once(
    event, fan, now, published_later
):
    services.recount_seats(event_id=event.pk)
    hold(event, fan, now, *seat_ids(event)[:2])

    assert services.rebuild_gate(event_id=event.pk, now=now).gates == 2
    published_later()

    assert gate.seats_left(event.pk) == 10


def test_control_without_the_newest_holds_it_is_counted_twice(
    event, fan, now, published_later, monkeypatch
):
    monkeypatch.setattr(reconciliation, "NEWEST", 0)
    hold(event, fan, now, *seat_ids(event)[:2])

    services.recount_seats(event_id=event.pk)
    published_later()

    assert gate.seats_left(event.pk) == 8


def test_a_seat_that_was_published_before_the_count_is_subtracted_when_it_is_held_again(
    event, fan, rival, now
):
    one, *_ = seat_ids(event)
    first = hold(event, fan, now, one).reservation
    services.recount_seats(event_id=event.pk)
    services.release(event_id=event.pk, code=first.code, fan_id=fan.pk, now=now)

    hold(event, rival, now, one)

    assert gate.seats_left(event.pk) == 11


def test_inconsistent_seats_are_reported(event, held):
    Seat.objects.filter(pk=seat_ids(event)[0]).update(state="available")
    Seat.objects.filter(pk=seat_ids(event)[5]).update(state="sold")

    with pytest.raises(CommandError):
        run("seats_reconcile", event.pk)
    assert services.inconsistent_seats(event_id=event.pk) == {
        ("available", "held"): 1,
        ("sold", ""): 1,
    }
