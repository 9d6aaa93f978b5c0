"""Threads in which coroutines use the database. They keep their connections.

asgiref would use one thread for all requests, or a new one for each.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import close_old_connections

from ticketing.core.event_loop import waiting_thread

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run it in a thread; it runs to its end even if nobody awaits it any more.

    If a thread waits for this coroutine (`event_loop.blocking`), that thread does it.
    """
    if waiting := waiting_thread.get():
        return await waiting.call(lambda: work(*args, **kwargs))
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads(), lambda: _connected(work, *args, **kwargs))


def _connected(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As around a request: a connection that failed or is too old is not used again."""
    close_old_connections()
    try:
        return work(*args, **kwargs)
    finally:
        close_old_connections()


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(settings.FAST_PATH_THREADS, thread_name_prefix="fast-path")
