"""Delays of the sandbox's answers. They end when the server stops, so that it stops at once."""

import asyncio
from contextlib import suppress
from typing import Any

from ticketing.core.server_signals import server_stopping

_delays: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()


async def delay(seconds: float) -> None:
    if seconds <= 0:
        return
    ended = asyncio.Event()
    entry = (asyncio.get_running_loop(), ended)
    _delays.add(entry)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), seconds)
    finally:
        _delays.discard(entry)


def count() -> int:
    """The number of answers that are being delayed in this process."""
    return len(_delays)


def end_all(**kwargs: Any) -> None:
    """End every delay; may be called from any thread."""
    for loop, ended in list(_delays):
        loop.call_soon_threadsafe(ended.set)


server_stopping.connect(end_all)
