"""Timers share one event loop, whoever is first to need it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from threading import Barrier, BrokenBarrierError

import pytest

from payments.sandbox import timers

THREADS = 4


@pytest.fixture
def started_loop(monkeypatch):
    """Nothing has started the loop yet; a start gives another one time to begin, too."""
    at_once = Barrier(2)

    @cache
    def start() -> asyncio.AbstractEventLoop:
        with suppress(BrokenBarrierError):
            at_once.wait(0.2)
        return asyncio.new_event_loop()

    monkeypatch.setattr(timers, "_started_loop", start)
    return start


def loops(find):
    with ThreadPoolExecutor(THREADS) as pool:
        found = set(pool.map(lambda _: find(), range(THREADS)))
    for loop in found:
        loop.close()
    return found


def test_threads_that_come_first_together_get_one_loop(started_loop):
    assert len(loops(timers._loop)) == 1


def test_control_without_the_lock_each_starts_its_own(started_loop):
    assert len(loops(started_loop)) > 1
