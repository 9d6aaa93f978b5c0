"""Runs work a little later, as a gateway does behind its API: one event loop, in a thread."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import suppress
from functools import cache, partial
from inspect import iscoroutinefunction
from threading import Lock, Thread
from typing import Any

import uvloop
from django.db import transaction

from ticketing.core import clock
from ticketing.core.fast_path.threads import in_thread

log = logging.getLogger(__name__)

Work = Callable[..., Any]
_starting = Lock()


class Timer:
    """Calls `work(now=…)` after so many seconds; in a thread unless it is a coroutine function."""

    def __init__(self, work: Work, seconds: float) -> None:
        self.work, self.seconds = work, seconds
        self.due = asyncio.Event()
        self.is_cancelled = False
        _timers.add(self)
        self.end = asyncio.run_coroutine_threadsafe(self._run(), _loop())
        self.end.add_done_callback(lambda _: _timers.discard(self))

    def fire(self) -> None:
        """Do not wait any longer."""
        _loop().call_soon_threadsafe(self.due.set)

    def cancel(self) -> None:
        """Drop work that has not begun."""
        self.is_cancelled = True
        self.fire()

    def join(self, timeout: float | None = None) -> None:
        wait([self.end], timeout)

    async def _run(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.due.wait(), self.seconds)
        if self.is_cancelled:
            return
        try:
            await (
                self.work(now=clock.now())
                if iscoroutinefunction(self.work)
                else in_thread(self.work, now=clock.now())
            )
        except Exception:
            log.exception("A timer of the sandbox failed.")


_timers: set[Timer] = set()


def run_later(work: Work, *args: Any, seconds: float = 0) -> None:
    """Call `work(*args, now=…)` so many seconds after the transaction commits."""
    transaction.on_commit(lambda: Timer(partial(work, *args), seconds))


def start(work: Work, *args: Any, seconds: float = 0) -> None:
    """The same from an event loop, where no transaction is open."""
    Timer(partial(work, *args), seconds)


def pending() -> list[Timer]:
    return list(_timers)


def cancel_all() -> None:
    """Cancel timers that have not fired, and wait for those that have."""
    while timers := pending():
        for timer in timers:
            timer.cancel()
        for timer in timers:
            timer.join()


def _loop() -> asyncio.AbstractEventLoop:
    """One for all: clients and their connections belong to it."""
    with _starting:  # `cache` alone calls it twice for two threads that come first
        return _started_loop()


@cache
def _started_loop() -> asyncio.AbstractEventLoop:
    loop = uvloop.new_event_loop()
    Thread(target=loop.run_forever, name="sandbox-timers", daemon=True).start()
    return loop
