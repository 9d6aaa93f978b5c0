"""Coroutines for code without an event loop: tasks, commands, the admin, threads of pages.

A process has one loop for them, so that pooled connections live: the server's own, or a loop in a
thread that starts when it is first needed.
"""

import asyncio
import atexit
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, wait
from contextvars import ContextVar
from functools import wraps
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from ticketing.core.errors import Unavailable

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)
END_SECONDS = 2
# Threads of pages that may wait for a coroutine at a time; the others serve pages.
PAGE_THREADS = threading.BoundedSemaphore(2)
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_background: set[Future[None]] = set()
# What to do in a loop before it ends.
_at_end: WeakKeyDictionary[asyncio.AbstractEventLoop, list[Callable[[], Awaitable[None]]]] = (
    WeakKeyDictionary()
)


class WaitingThread:
    """A thread that waits for a coroutine and runs its database steps, on its own connection."""

    def __init__(self) -> None:
        self._steps: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        done = asyncio.run_coroutine_threadsafe(self._as_waiting(coroutine), process_loop())
        done.add_done_callback(lambda _: self._steps.put(None))
        while step := self._steps.get():
            step()
        return done.result()

    async def call(self, work: Callable[[], T]) -> T:
        """Have the thread do it; it is done even if nobody awaits it any more."""
        result: Future[T] = Future()

        def step() -> None:
            try:
                result.set_result(work())
            except BaseException as failure:
                result.set_exception(failure)

        self._steps.put(step)
        return await asyncio.shield(asyncio.wrap_future(result))

    async def _as_waiting(self, coroutine: Coroutine[Any, Any, T]) -> T:
        waiting_thread.set(self)
        return await coroutine


# The thread that waits for the running coroutine, if one does.
waiting_thread: ContextVar[WaitingThread | None] = ContextVar("waiting_thread", default=None)


def blocking(
    function: Callable[P, Coroutine[Any, Any, T]], *, at_most: threading.Semaphore | None = None
) -> Callable[P, T]:
    """The same function for threads; `at_most` bounds how many threads wait, others are refused."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if at_most and not at_most.acquire(blocking=False):
            raise Unavailable()
        try:
            return WaitingThread().run(function(*args, **kwargs))
        finally:
            if at_most:
                at_most.release()

    return call


def start(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run it in the background, in the process's loop; a failure is logged."""
    running = asyncio.run_coroutine_threadsafe(_logged(coroutine), process_loop())
    _background.add(running)
    running.add_done_callback(_background.discard)


def background() -> set[Future[None]]:
    """What was started and has not ended."""
    return set(_background)


async def _logged(coroutine: Coroutine[Any, Any, Any]) -> None:
    waiting_thread.set(None)
    try:
        await coroutine
    except Exception:
        log.exception("background work failed")


def adopt_running_loop() -> None:
    """Called by a server, whose own loop becomes the loop of the process."""
    global _loop
    _loop = asyncio.get_running_loop()


def process_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None or not _loop.is_running():
            _loop, runs = asyncio.new_event_loop(), threading.Event()
            _loop.call_soon(runs.set)
            threading.Thread(target=_loop.run_forever, name="event-loop", daemon=True).start()
            runs.wait()
        return _loop


def at_end(close: Callable[[], Awaitable[None]]) -> None:
    """Have it called before the running loop ends, to close connections."""
    _at_end.setdefault(asyncio.get_running_loop(), []).append(close)


async def end() -> None:
    """Close what the loop of a server or a test has opened; it stops next."""
    for close in _at_end.pop(asyncio.get_running_loop(), []):
        await close()


def _end_own_loop() -> None:
    if _loop and _loop.is_running():
        wait([asyncio.run_coroutine_threadsafe(end(), _loop)], timeout=END_SECONDS)


def _forget_loop() -> None:
    """A forked child has the parent's objects, but not its threads."""
    global _loop, _lock
    _loop, _lock = None, threading.Lock()
    _background.clear()


os.register_at_fork(after_in_child=_forget_loop)
atexit.register(_end_own_loop)
