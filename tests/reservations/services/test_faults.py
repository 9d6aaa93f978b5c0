"""Processes that die at the worst moment, and a Redis that is wrong, lost or away."""

import signal
from datetime import timedelta
from threading import Event as Flag
from threading import Thread

import pytest
from django.db import connection, transaction
from redis.exceptions import RedisError

from reservations import errors, gate, services
from reservations.models import HoldRequest, Reservation
from reservations.services import async_holds, hold_requests
from tests.making import seat_ids
from tests.race import wait_unless_blocking
from tests.reservations.acting import hold, states
from tests.reservations.dying import die
from ticketing.core import redis
from ticketing.events.locks import seats_for_update

pytestmark = pytest.mark.django_db(transaction=True)
KILLED = -signal.SIGKILL


@pytest.fixture
def seat(event):
    return seat_ids(event)[0]


@pytest.fixture
def kill(event, rival, seat, now):
    def kill(when):
        order = {"when": when, "now": now.isoformat(), "event": event.pk, "fan": rival.pk}
        return die(**order, seat=seat)

    return kill


def test_who_dies_before_the_commit_holds_nothing(event, fan, seat, now, kill):
    assert kill("before the commit") == KILLED

    assert states(event)[seat] == "available"
    with pytest.raises(errors.SeatsTaken):  # the try of the dead lasts a few seconds, no longer
        hold(event, fan, now + gate.ATTEMPT_TTL - timedelta(seconds=1), seat)
    assert hold(event, fan, now + gate.ATTEMPT_TTL, seat)


def test_who_dies_after_the_commit_holds_it_and_redis_is_put_right(event, fan, seat, now, kill):
    services.recount_seats(event_id=event.pk)
    assert kill("before anybody is told") == KILLED

    assert Reservation.objects.get().state == "held"
    assert gate.seats_left(event.pk) == 12
    with pytest.raises(errors.SeatsTaken):
        hold(event, fan, now + gate.ATTEMPT_TTL, seat)
    services.recount_events_on_sale()
    assert gate.seats_left(event.pk) == 11
    assert hold(event, fan, now + timedelta(seconds=300), seat)


@pytest.mark.parametrize("when", ["after the claim", "before a request is finished"])
def test_a_worker_that_dies_is_replaced_and_nothing_is_done_twice(
    event, fan, rival, seat, now, kill, monkeypatch, when
):
    monkeypatch.setattr(hold_requests, "wake_worker", lambda: None)
    for person in (fan, rival):
        services.request_hold(event_id=event.pk, seat_ids=[seat], fan_id=person.pk, now=now)
    assert kill(when) == KILLED

    assert not Reservation.objects.exists()
    assert services.process_hold_requests(now=now) == 0
    services.process_hold_requests(now=now + async_holds.LEASE)

    first, second = HoldRequest.objects.order_by("pk")
    assert (first.state, second.state) == ("success", "failed")
    assert Reservation.objects.get().fan == fan


def test_an_emptied_redis_sells_nothing_twice(event, fan, rival, seat, now):
    deadline = hold(event, rival, now, seat).reservation.deadline
    redis.client().flushdb()

    with pytest.raises(errors.SeatsTaken) as refused:
        hold(event, fan, now, seat)
    why = {"seat": seat, "why": "held", "until": deadline.isoformat()}
    assert refused.value.details == {"seats": [seat], "taken": [why]}


def test_a_gate_that_is_wrongly_shut_opens_by_itself(event, fan, seat, now):
    gate.publish_seats(event.pk, 0, [seat], gate.HELD, until=now + timedelta(seconds=300))

    with pytest.raises(errors.SeatsTaken):
        hold(event, fan, now, seat)
    services.rebuild_gate(event_id=event.pk, now=now)
    assert hold(event, fan, now, seat)


def test_a_redis_that_goes_away_after_the_commit_changes_nothing(
    event, fan, seat, now, monkeypatch
):
    """The fan has the seats and is told so; Redis hears of it from the next count."""

    def away(*_, **__):
        raise RedisError("away")

    real = gate.script
    scripts = {"publish_seats": away}
    monkeypatch.setattr(gate, "script", lambda name: scripts.get(name) or real(name))

    held = hold(event, fan, now, seat)

    assert Reservation.objects.get() == held.reservation


@pytest.fixture
def lock_row(event, seat):
    """Lock the seat's row in a transaction that hangs until what it waits for."""
    threads = []

    def lock_row(hang):
        locked = Flag()

        def work():
            with transaction.atomic():
                seats_for_update(event.pk, [seat])
                locked.set()
                hang()
            connection.close()

        threads.append(Thread(target=work))
        threads[-1].start()
        locked.wait(60)
        return threads[-1]

    yield lock_row
    for thread in threads:
        thread.join()


def test_a_slow_holder_of_a_row_makes_others_busy_not_stuck(
    event, fan, seat, now, settings, lock_row
):
    """Somebody's transaction hangs with the row locked: others are told when they waited enough."""
    settings.SEAT_WAIT_SECONDS = 0
    done = Flag()
    thread = lock_row(lambda: done.wait(60))
    with pytest.raises(errors.SeatsBusy):
        hold(event, fan, now, seat)
    done.set()
    thread.join()

    assert hold(event, fan, now, seat)


def test_who_waits_long_enough_for_a_row_gets_it(event, fan, seat, now, lock_row):
    """Control of the above: the transaction goes on until somebody waits for it."""
    lock_row(lambda: wait_unless_blocking(lambda: False))

    assert hold(event, fan, now, seat)
