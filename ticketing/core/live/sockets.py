"""Websockets refuse like everything else: one error frame, then they close."""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
from typing import Any

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.utils import translation

from ticketing.core import errors
from ticketing.core.error_responses import OUTAGES, error_of, frame
from ticketing.core.fast_path.responses import language_of

log = logging.getLogger(__name__)

# Private codes (4000 to 4999) that say the HTTP status.
CLOSE_BASE = 4000
COME_BACK = 1012  # the server restarts, or has nothing more to say


class Socket(AsyncJsonWebsocketConsumer):
    """The base of our consumers: `enter` lets somebody in, `hear` takes what they send."""

    is_open = False
    _ending: asyncio.Task[None] | None = None

    async def enter(self) -> None:
        raise NotImplementedError

    async def hear(self, message: dict[str, Any]) -> None:
        """One word to a socket that only tells is enough: nobody can keep a server busy with it."""
        raise errors.InvalidInput()

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode("latin-1") for name, value in self.scope["headers"]}

    @property
    def own_origin(self) -> str:
        scheme = "https" if self.scope["scheme"] == "wss" else "http"
        return f"{scheme}://{self.headers.get('host', '')}"

    async def accept(self, *args: Any, **kwargs: Any) -> None:
        """Whoever hung up before there was an answer is gone: that is no error of anybody's."""
        self.is_open = True
        try:
            await super().accept(*args, **kwargs)
        except OSError as gone:
            self.leave()
            raise StopConsumer from gone

    async def websocket_connect(self, message: dict[str, Any]) -> None:
        await self._or_refuse(self.enter())

    async def websocket_receive(self, message: dict[str, Any]) -> None:
        await self._or_refuse(self.hear(message))

    def send_text(self, text: str) -> Coroutine[Any, Any, None]:
        """Straight to the server, without a detour: this is done for everybody in line."""
        return self.base_send({"type": "websocket.send", "text": text})

    async def refuse(self, error: errors.DomainError) -> None:
        """Say why, then close. Browsers can't read the body of a refused handshake."""
        if not self.is_open:
            await self.accept()
        with translation.override(language_of(self.headers)):
            await self.send_json(frame(error))
        await self.close(code=CLOSE_BASE + error.status)

    def leave(self) -> None:
        """Out of whatever room this socket is told things in. May be called twice."""

    async def disconnect(self, code: int) -> None:
        self.leave()

    def give_up(self) -> None:
        """Who takes nothing does not take a farewell either: nobody waits for them to go."""
        self.leave()
        self.end()

    def end(self) -> None:
        """Close, without making the one who says so wait for it."""
        self._ending = asyncio.ensure_future(self._close_quietly())

    async def _close_quietly(self) -> None:
        try:
            await self.close(code=COME_BACK)
        except Exception as failure:
            log.debug("a socket was gone already: %r", failure)

    async def _or_refuse(self, work: Awaitable[None]) -> None:
        try:
            await work
        except StopConsumer:
            raise
        except Exception as exception:
            error = error_of(exception)
            if isinstance(exception, OUTAGES):
                log.error("%s: %s", self.scope["path"], exception)
            elif isinstance(error, errors.Broken):
                log.error("%s", self.scope["path"], exc_info=exception)
            await self.refuse(error)


class NoSuchSocket(Socket):
    """Answers at every address that nobody else does."""

    async def enter(self) -> None:
        raise errors.NotFound()
