"""Sends messages to one client without making anybody else wait for it."""

import asyncio
import logging
import types
from collections.abc import Awaitable, Coroutine, Generator, Mapping
from typing import Any, Protocol

# A client that has not taken a message for so long is gone.
STALL_SECONDS = 60
NOTHING: Mapping[str, str] = {}

log = logging.getLogger(__name__)


class Connection(Protocol):
    """A websocket or an event stream, as the hubs use it."""

    def send_text(self, text: str, *more: str) -> Coroutine[Any, Any, None]:
        """Send a message; `more`, which others are sent as well, in the same write."""

    def abort(self) -> None:
        """Drop the connection of a client that does not read or is gone."""

    def close_soon(self) -> None:
        """Close from the server's side, without making the caller wait."""


class SendBuffer:
    """While one message is on its way, only the newest of each kind after it is kept."""

    __slots__ = ("_connection", "_newest", "_sending")
    _newest: dict[str, str]  # exists from the first time that the client is slow

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending: asyncio.Task[None] | None = None

    @property
    def is_behind(self) -> bool:
        """Whether a message is still on its way."""
        return self._sending is not None

    def push(self, kind: str, text: str, more: Mapping[str, str] = NOTHING) -> None:
        """Send a message; nearly always it fits the socket's buffer and needs no task.

        `more` are messages by kind, which go out in the same write.
        """
        if self._sending is not None:
            self._newest |= {kind: text, **more}
            return
        sending = self._connection.send_text(text, *more.values())
        try:
            waits_for = sending.send(None)
        except StopIteration:
            return
        except Exception as failure:
            self._give_up(failure)
            return
        self._newest = {}
        self._sending = asyncio.create_task(self._finish(resumed(sending, waits_for)))
        self._sending.add_done_callback(lambda _: sending.close())

    def close(self) -> None:
        """Stop sending; what is on its way or kept is dropped."""
        if self._sending is not None:
            self._sending.cancel()

    async def _finish(self, sending: Awaitable[None]) -> None:
        """Wait until the slow client has taken the message, then send the newest ones."""
        try:
            async with asyncio.timeout(STALL_SECONDS):
                await sending
            while self._newest:
                kind = next(iter(self._newest))
                async with asyncio.timeout(STALL_SECONDS):
                    await self._connection.send_text(self._newest.pop(kind))
        except Exception as failure:
            self._sending = None
            self._give_up(failure)
        else:
            self._sending = None

    def _give_up(self, failure: Exception) -> None:
        log.debug("a client is gone: %r", failure)
        self._connection.abort()


@types.coroutine
def resumed(coroutine: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, Any, None]:
    """Awaits the rest of a coroutine whose first step was driven outside of a task.

    `waits_for` is the future that this step yielded. It is yielded once more, to the task, which
    takes it as if it came from its own first step. What happens to the task (a cancellation, a
    timeout) happens to the coroutine.
    """
    while True:
        try:
            yield waits_for
        except BaseException as interruption:
            try:
                waits_for = coroutine.throw(interruption)
            except StopIteration:
                return
        else:
            break
    yield from coroutine.__await__()
