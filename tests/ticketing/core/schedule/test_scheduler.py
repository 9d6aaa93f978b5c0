"""Several beats send what is due once, and one of them takes over when the other is gone."""

from collections.abc import Callable
from datetime import timedelta
from threading import Barrier
from uuid import uuid4

import pytest
from celery.beat import PersistentScheduler, ScheduleEntry, event_t
from celery.schedules import schedule
from redis.exceptions import ConnectionError

from tests.race import together
from tests.waiting import PATIENCE, wait_until
from ticketing.celery import app
from ticketing.core import clock, redis
from ticketing.core.schedule import store
from ticketing.core.schedule.scheduler import SharedScheduler

Beat = Callable[[], SharedScheduler]


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """The owners of the beats that sent something."""
    sent: list[str] = []

    def send(self: SharedScheduler, entry: ScheduleEntry, producer: object = None) -> None:
        sent.append(self.owner)

    monkeypatch.setattr(PersistentScheduler, "apply_entry", send)
    return sent


@pytest.fixture
def beat(tmp_path) -> Beat:
    def start() -> SharedScheduler:
        return SharedScheduler(app, schedule_filename=str(tmp_path / uuid4().hex))

    return start


def entry(seconds: float) -> ScheduleEntry:
    each = schedule(timedelta(seconds=seconds))
    return ScheduleEntry("one", "queue.tick", schedule=each, options={"expires": seconds}, app=app)


def test_the_schedule_is_shared():
    assert app.conf.beat_scheduler == "ticketing.core.schedule.scheduler:SharedScheduler"


def test_of_two_beats_one_sends_what_is_due_often(beat, sent):
    first, second = beat(), beat()

    for each in (first, second, second, first, second):
        each.apply_entry(entry(1))

    assert sent == [first.owner] * 2


def test_of_many_that_begin_at_once_one_has_the_lease():
    assert sum(together(8, lambda number: store.hold_lease(str(number)))) == 1


def test_control_whoever_reads_before_writing_shares_the_lease():
    all_have_read = Barrier(8)

    def hold(number: int) -> bool:
        is_free = not redis.client().exists(store.LEASE)
        all_have_read.wait(PATIENCE)
        redis.client().set(store.LEASE, str(number), px=store.LEASE_MS)
        return is_free

    assert sum(together(8, hold)) == 8


def test_another_one_takes_over_when_the_first_sends_nothing_more(beat, sent, monkeypatch):
    first, second = beat(), beat()
    first.apply_entry(entry(1))
    assert 0 < redis.client().pttl(store.LEASE) <= store.LEASE_MS
    expired_at = clock.monotonic() + store.LEASE_MS / 1000
    monkeypatch.setattr(clock, "monotonic", lambda: expired_at)
    redis.client().pexpire(store.LEASE, 1)
    wait_until(lambda: not redis.client().exists(store.LEASE))

    second.apply_entry(entry(1))
    first.apply_entry(entry(1))

    assert sent == [first.owner, second.owner]


def test_the_lease_is_renewed_well_before_it_expires(beat, sent, monkeypatch):
    """And not for each of several messages of a second."""
    renewed, now = [], [100.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr(store, "hold_lease", lambda owner: renewed.append(now[0]) or True)
    one = beat()

    for now[0] in (100.0, 100.1, 100.2, 101.0, 101.1, 102.0):
        one.apply_entry(entry(1))

    assert renewed == [100.0, 101.0, 102.0]
    assert len(sent) == 6


def test_a_beat_without_the_lease_asks_for_it_each_time(beat, sent, monkeypatch):
    answers = iter([False, False, True])
    monkeypatch.setattr(store, "hold_lease", lambda owner: next(answers))
    one = beat()

    for _ in range(4):
        one.apply_entry(entry(1))

    assert len(sent) == 2


def test_entries_are_sorted_once(beat, sent):
    one = beat()
    one.tick()
    heap = one._heap

    one.tick()

    assert one._heap is heap
    assert {it.entry.name for it in heap} == set(one.schedule) != set()


@pytest.mark.parametrize("sleeps", [True, False], ids=["it", "control"])
def test_a_beat_sleeps_until_the_last_moment(beat, sent, monkeypatch, sleeps):
    """Celery's own looks again and again in the last 10 ms before an entry is due."""
    if not sleeps:
        monkeypatch.setattr(SharedScheduler, "adjust", PersistentScheduler.adjust)
    one = beat()
    monkeypatch.setattr(one, "is_due", lambda entry: (False, 0.005))
    one.old_schedulers, one._heap = one.schedule, [event_t(0, 5, entry(1))]

    assert (one.tick() > 0) is sleeps


def test_a_beat_that_is_stopped_hands_over_at_once(beat, sent):
    first, second = beat(), beat()
    first.apply_entry(entry(1))

    beat().close()  # gives nothing back that it does not have
    second.apply_entry(entry(1))
    first.close()
    second.apply_entry(entry(1))

    assert sent == [first.owner, second.owner]


def test_what_is_due_rarely_is_sent_by_each(beat, sent):
    """The night's work is not lost with the beat that had the lease."""
    first, second = beat(), beat()

    for each in (first, second):
        each.apply_entry(entry(3600))

    assert sent == [first.owner, second.owner]


def test_without_redis_all_send(beat, sent, monkeypatch):
    def fail(owner: str) -> bool:
        raise ConnectionError

    monkeypatch.setattr(store, "hold_lease", fail)
    first, second = beat(), beat()

    for each in (first, second):
        each.apply_entry(entry(1))

    assert sent == [first.owner, second.owner]
