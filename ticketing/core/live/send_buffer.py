"""Sends to one connection without ever making others wait."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

Send = Callable[[str], Coroutine[Any, Any, None]]
# Somebody who has not taken a message for so long is gone.
PATIENCE_SECONDS = 60
BREATH = 250  # sends in one go

log = logging.getLogger(__name__)


class SendBuffer:
    """While one message is on its way, only the newest of each kind after it is kept."""

    def __init__(self, send: Send, give_up: Callable[[], None]) -> None:
        self._send, self._give_up = send, give_up
        self._kept: dict[str, str] = {}
        self._rest: asyncio.Task[None] | None = None

    @property
    def is_behind(self) -> bool:
        """Whether a message is still on its way."""
        return self._rest is not None

    def put(self, kind: str, text: str) -> None:
        """Nearly always the message fits the socket's buffer and is gone when this returns."""
        if self._rest is not None:
            self._kept[kind] = text
            return
        sending = self._send(text)
        try:
            waits_for = sending.send(None)
        except StopIteration:
            return
        except Exception as failure:
            self._fail(failure)
            return
        self._rest = asyncio.create_task(self._finish(sending, waits_for))

    async def _finish(self, sending: Coroutine[Any, Any, None], waits_for: Any) -> None:
        """The reader is slow: go on when there is room, then with the newest."""
        try:
            await _patiently(_go_on(sending, waits_for))
            while self._kept:
                await _patiently(self._send(self._kept.pop(next(iter(self._kept)))))
        except Exception as failure:
            self._fail(failure)
        self._rest = None

    def _fail(self, failure: Exception) -> None:
        log.debug("a reader is gone: %r", failure)
        self._give_up()

    def close(self) -> None:
        if self._rest is not None:
            self._rest.cancel()


async def breathe(number: int) -> None:
    """After so many sends others in this process get their turn."""
    if number % BREATH == 0:
        await asyncio.sleep(0)


async def _patiently(sending: Awaitable[None]) -> None:
    """Who is slow, but takes one message after the other, is not gone."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        await sending


async def _go_on(sending: Coroutine[Any, Any, None], waits_for: Any) -> None:
    """Drive a coroutine to its end that was begun outside of any task."""
    try:
        while True:
            if waits_for is None:
                await asyncio.sleep(0)
            else:
                waits_for._asyncio_future_blocking = False
                await asyncio.wait([waits_for])
            waits_for = sending.send(None)
    except StopIteration:
        return
