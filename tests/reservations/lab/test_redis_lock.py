"""The lock in Redis: waits, is renewed, belongs to its owner, and dies with it."""

import signal
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread

import pytest

from reservations.lab import keys, timer
from reservations.lab.redis_lock import RENEWALS_PER_LEASE, LockBusy, LockLost, RedisLock
from reservations.lab.results import Outcome
from reservations.lab.strategies import EARLY
from tests.reservations.lab.dying import buy_and_die, killed_in
from tests.reservations.lab.making import buy

KEY = "lab:{test}:lock"
LEASE = 1.0
PATIENCE = 60


class Unwatched(RedisLock):
    """Nobody renews it."""

    def _renew_periodically(self) -> None:
        pass


@pytest.fixture
def lock(redis):
    def make(
        wait: float = 0.01, kind: type[RedisLock] = RedisLock, lease: float = LEASE
    ) -> RedisLock:
        return kind(redis, KEY, wait=wait, lease=lease)

    return make


def test_a_second_one_is_told_that_it_is_busy(lock):
    with lock(), pytest.raises(LockBusy), lock():
        pass


def until(so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not so():
        assert time.monotonic() < deadline, "it did not become true in time"
        time.sleep(0.005)


def test_it_is_waited_for_and_had_as_soon_as_it_is_free(lock, redis):
    had = []

    def take() -> None:
        with lock(wait=PATIENCE) as second:
            had.append(redis.get(KEY) == second.token)

    waiting = Thread(target=take)
    with lock(lease=PATIENCE):
        waiting.start()
        until(lambda: redis.info("clients")["blocked_clients"])
        assert had == []
    waiting.join()

    assert had == [True]


def test_everybody_who_waits_has_it_in_turn(lock):
    had, holders = [], []

    def take(number: int) -> None:
        with lock(wait=PATIENCE, lease=PATIENCE):
            holders.append(number)
            had.append(list(holders))
            holders.remove(number)

    threads = [Thread(target=take, args=(number,)) for number in range(10)]
    for step in (Thread.start, Thread.join):
        for thread in threads:
            step(thread)

    assert sorted(had) == [[number] for number in range(10)]


def test_work_that_takes_longer_than_the_lease_keeps_it(lock, redis, monkeypatch):
    """Renewed as often as is needed to outlive the lease; the last time after its end."""
    renewed = []
    renew = RedisLock._renew
    monkeypatch.setattr(RedisLock, "_renew", lambda it: (renew(it), renewed.append(it)))
    with lock(lease=3 * LEASE) as held:
        until(lambda: len(renewed) > RENEWALS_PER_LEASE)

        assert not held.lost
        assert redis.get(KEY) == held.token
        with pytest.raises(LockBusy), lock():
            pass


def test_control_without_the_watchdog_it_is_free_after_the_lease(lock, redis):
    with lock(kind=Unwatched) as held:
        until(lambda: redis.get(KEY) is None)
        until(lambda: held.lost)

        with lock() as other:
            assert not other.lost


def test_only_its_owner_can_give_it_back(lock, redis):
    with lock() as held:
        assert not lock().release()

        assert redis.get(KEY) == held.token
    assert redis.get(KEY) is None


def test_control_one_that_was_lost_is_not_taken_from_the_next(lock, redis):
    with lock(kind=Unwatched, lease=0.1):
        until(lambda: redis.get(KEY) is None)
        following = lock()
        following.__enter__()

    assert redis.get(KEY) == following.token
    following.__exit__(None, None, None)


def test_a_lost_lock_is_noticed_and_stops_the_work(config, schema, redis, monkeypatch):
    noticed = Event()
    renew = RedisLock._renew

    def watched(lock: RedisLock) -> None:
        renew(lock)
        if lock.lost:
            noticed.set()

    monkeypatch.setattr(RedisLock, "_renew", watched)

    def somebody_takes_it() -> None:
        redis.set(keys.lock(config, 1), "somebody else")
        assert noticed.wait(PATIENCE)

    assert buy("redis", config, meanwhile=somebody_takes_it) is Outcome.BUSY
    assert schema.sales() == []
    assert redis.get(keys.lock(config, 1)) == "somebody else"


def test_a_process_that_was_stopped_for_longer_than_the_lease_knows_by_the_clock(lock, monkeypatch):
    with lock(kind=Unwatched) as held:
        held.require_held()
        woken_at = held._ends + 0.1
        monkeypatch.setattr(timer, "now", lambda: woken_at)

        with pytest.raises(LockLost):
            held.require_held()


@pytest.mark.parametrize(("strategy", "rows"), [("redis", 1), (EARLY, 0)], ids=["it", "control"])
def test_it_is_given_back_strictly_after_the_commit(config, schema, monkeypatch, strategy, rows):
    seen = []
    release = RedisLock.release

    def watched(lock: RedisLock) -> bool:
        seen.append(len(schema.sales()))
        return release(lock)

    monkeypatch.setattr(RedisLock, "release", watched)

    assert buy(strategy, config) is Outcome.BOUGHT
    assert seen == [rows]


def test_the_lock_of_a_killed_process_is_free_after_the_lease_and_the_next_one_buys(
    config, schema, redis
):
    config = replace(config, lease=2 * LEASE)  # time enough to look
    assert killed_in(buy_and_die, "redis", config) == -signal.SIGKILL

    assert 0 < redis.pttl(keys.lock(config, 1)) <= 2 * LEASE * 1000
    assert buy("redis", config, 7) is Outcome.BOUGHT
    assert [sale.buyer for sale in schema.sales()] == [7]


def test_control_as_long_as_the_lease_lasts_nobody_else_buys(config, schema, redis):
    redis.set(keys.lock(config, 1), "of somebody who died", px=60_000)

    assert buy("redis", replace(config, wait=0.3)) is Outcome.BUSY
    assert schema.sales() == []
