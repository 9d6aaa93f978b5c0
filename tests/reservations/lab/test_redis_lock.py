"""The lock in Redis: waits, is renewed, belongs to its owner, and dies with it."""

import signal
import time
from dataclasses import replace
from threading import Thread, Timer

import pytest

from reservations.lab import keys
from reservations.lab.redis_lock import LockBusy, LockLost, RedisLock
from reservations.lab.results import Outcome
from reservations.lab.strategies import EARLY
from tests.reservations.lab.dying import buy_and_die, killed_in
from tests.reservations.lab.making import buy

KEY = "lab:{test}:lock"
LEASE = 1.0


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


def test_it_is_waited_for_and_had_as_soon_as_it_is_free(lock, redis):
    first = lock(lease=30)
    first.__enter__()
    Timer(0.3, first.__exit__, (None, None, None)).start()

    with lock(wait=20) as second:
        assert redis.get(KEY) == second.token


def test_everybody_who_waits_has_it_in_turn(lock):
    had = []

    def take(number: int) -> None:
        with lock(wait=20):
            had.append(number)
            time.sleep(0.01)

    threads = [Thread(target=take, args=(number,)) for number in range(10)]
    for step in (Thread.start, Thread.join):
        for thread in threads:
            step(thread)

    assert sorted(had) == list(range(10))


def test_work_that_takes_longer_than_the_lease_keeps_it(lock):
    with lock(lease=2 * LEASE) as held:
        time.sleep(3.2 * LEASE)

        assert not held.lost
        with pytest.raises(LockBusy), lock():
            pass


def test_control_without_the_watchdog_it_is_free_after_the_lease(lock):
    with lock(kind=Unwatched) as held:
        time.sleep(1.2 * LEASE)

        assert held.lost
        with lock() as other:
            assert not other.lost


def test_only_its_owner_can_give_it_back(lock, redis):
    with lock() as held:
        assert not lock().release()

        assert redis.get(KEY) == held.token
    assert redis.get(KEY) is None


def test_control_one_that_was_lost_is_not_taken_from_the_next(lock, redis):
    with lock(kind=Unwatched, lease=0.1):
        time.sleep(0.2)
        following = lock()
        following.__enter__()

    assert redis.get(KEY) == following.token
    following.__exit__(None, None, None)


def test_a_lost_lock_is_noticed_and_stops_the_work(config, schema, redis):
    def somebody_takes_it() -> None:
        redis.set(keys.lock(config, 1), "somebody else")
        time.sleep(LEASE)

    assert buy("redis", config, meanwhile=somebody_takes_it) is Outcome.BUSY
    assert schema.sales() == []
    assert redis.get(keys.lock(config, 1)) == "somebody else"


def test_a_process_that_was_stopped_for_longer_than_the_lease_knows_by_the_clock(lock):
    with lock(kind=Unwatched, lease=0.1) as held:
        time.sleep(0.2)  # as a process does that gets no processor

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
