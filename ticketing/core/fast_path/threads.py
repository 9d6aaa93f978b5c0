"""Threads in which coroutines use the database. They keep their connections.

asgiref would use one thread for all requests, or a new one for each. Copies of pages are rendered
in threads of their own, so that a crowd that pays does not delay what everybody reloads.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import close_old_connections

from ticketing.core.event_loop import waiting_thread
from ticketing.core.logs.context import carried
from ticketing.core.metrics.machine import PoolUse, pools

P = ParamSpec("P")
T = TypeVar("T")
RENDER_THREADS = 2


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run it in a thread; it runs to its end even if nobody awaits it any more.

    If a thread waits for this coroutine (`event_loop.blocking`), that thread does it.
    """
    if waiting := waiting_thread.get():
        return await waiting.call(lambda: work(*args, **kwargs))
    loop = asyncio.get_running_loop()
    step = carried(lambda: _connected(work, *args, **kwargs))
    return await loop.run_in_executor(_threads(), step)


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
