"""Threads in which coroutines use the database. They keep their connections.

asgiref would use one thread for all requests, or a new one for each. Copies of pages are rendered
in threads of their own, so that a crowd that pays does not delay what everybody reloads.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import close_old_connections

from ticketing.core.event_loop import waiting_thread
from ticketing.core.logs.context import carried
from ticketing.core.metrics.machine import PoolUse, pools
from ticketing.core.ttl_cache import TtlCached

P = ParamSpec("P")
T = TypeVar("T")
RENDER_THREADS = 2
# A cached result is read again, while it is still used, after so much of its lifetime.
REFRESH_AT = 0.5
# Reads under way by event loop, which their callers share.
_reads: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, asyncio.Future[Any]]] = (
    WeakKeyDictionary()
)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run it in a thread; it runs to its end even if nobody awaits it any more.

    If a thread waits for this coroutine (`event_loop.blocking`), that thread does it.
    """
    if waiting := waiting_thread.get():
        return await waiting.call(lambda: work(*args, **kwargs))
    loop = asyncio.get_running_loop()
    step = carried(lambda: _connected(work, *args, **kwargs))
    return await loop.run_in_executor(_threads(), step)


async def acached(function: TtlCached[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's cached result, which a thread reads: once for all who ask meanwhile.

    It is read again before it is too old, so that under load nobody waits for a thread.
    """
    kept, age = function.cached_and_age(*args, **kwargs)
    if kept is not None and age < REFRESH_AT:
        return kept
    if waiting_thread.get():
        return await in_thread(function, *args, **kwargs) if kept is None else kept
    reads = _reads.setdefault(loop := asyncio.get_running_loop(), {})
    key = function, args, tuple(sorted(kwargs.items()))
    if (read := reads.get(key)) is None:
        work = partial(_connected, function.refresh, *args, **kwargs)
        read = reads[key] = loop.run_in_executor(_threads(), work)
        read.add_done_callback(partial(_forget_read, reads, key))
    return await asyncio.shield(read) if kept is None else kept


def _forget_read(reads: dict[Any, Any], key: Any, read: "asyncio.Future[Any]") -> None:
    """A failure reaches those who wait; without any, what is kept is used until it is too old."""
    del reads[key]
    if not read.cancelled():
        read.exception()  # marks it as read, so that nothing is logged


async def in_render_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_render_threads(), lambda: _connected(work, *args, **kwargs))


def _connected(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As around a request: a connection that failed or is too old is not used again."""
    close_old_connections()
    try:
        return work(*args, **kwargs)
    finally:
        close_old_connections()


@cache
def _threads() -> ThreadPoolExecutor:
    return _watched("fast_path", settings.FAST_PATH_THREADS)


@cache
def _render_threads() -> ThreadPoolExecutor:
    return _watched("render", RENDER_THREADS)


def _watched(name: str, size: int) -> ThreadPoolExecutor:
    threads = ThreadPoolExecutor(size, thread_name_prefix=name.replace("_", "-"))

    def use() -> PoolUse:
        idle = threads._idle_semaphore._value
        return PoolUse(size, len(threads._threads) - idle, threads._work_queue.qsize())

    pools[name] = use
    return threads
