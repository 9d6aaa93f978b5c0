"""The base of our websockets: the server pushes, and refuses with one error frame and a close.

A plain ASGI application behind Channels' router and origin check. Channels' own consumer would hand
every message of every socket to a thread, which costs several times what a listening socket needs.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property
from typing import Any

from django.utils import translation

from ticketing.core import errors
from ticketing.core.error_responses import OUTAGES, error_of, frame
from ticketing.core.fast_path.responses import language_of
from ticketing.core.live.websocket_protocol import SEVERAL

log = logging.getLogger(__name__)

# Private close codes (4000 to 4999) that contain the HTTP status.
CLOSE_BASE = 4000
SERVICE_RESTART = 1012  # also when there is nothing more to push

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]


class HungUp(OSError):
    """The client is gone before it was answered; not an error."""


class PushSocket:
    """Subclasses override `connect` (check who it is, accept, subscribe) and `unsubscribe`."""

    def __init__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self.is_open = False
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    def as_asgi(cls) -> Any:
        """An ASGI application, for Channels' URL router; Django's types know only views."""

        async def application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
            await cls(scope, receive, send).run()

        return application

    async def connect(self) -> None:
        raise NotImplementedError

    def unsubscribe(self) -> None:
        """Stop the pushes to this socket. May be called twice."""

    @property
    def event_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["event_id"])

    @cached_property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode("latin-1") for name, value in self.scope["headers"]}

    @property
    def own_origin(self) -> str:
        scheme = "https" if self.scope["scheme"] == "wss" else "http"
        return f"{scheme}://{self.headers.get('host', '')}"

    async def run(self) -> None:
        """Open the socket, then only wait for its end: everything else is pushed by a hub."""
        try:
            await self._receive()  # websocket.connect
            await self._connect()
            while (await self._receive())["type"] != "websocket.disconnect":
                # Clients have nothing to send; the first message ends it, so none costs much.
                await self.refuse(errors.InvalidInput())
        except OSError as gone:
            log.debug("a client is gone: %r", gone)
        finally:
            self.unsubscribe()

    async def _connect(self) -> None:
        try:
            await self.connect()
        except HungUp:
            raise
        except Exception as exception:
            error = error_of(exception)
            if isinstance(exception, OUTAGES):
                log.error("%s: %s", self.scope["path"], exception)
            elif isinstance(error, errors.Broken):
                log.error("%s", self.scope["path"], exc_info=exception)
            await self.refuse(error)

    @property
    def subprotocol(self) -> str | None:
        """The one to accept; browsers close the socket if they offered some and got none."""
        return None

    async def accept(self) -> None:
        self.is_open = True
        try:
            await self._send({"type": "websocket.accept", "subprotocol": self.subprotocol})
        except OSError as gone:
            raise HungUp from gone

    def send_text(self, text: str, *more: str) -> Coroutine[Any, Any, None]:
        """Straight to the server: every push to every client goes through here."""
        if more and SEVERAL not in self.scope.get("extensions", ()):
            return self._send_each(text, *more)
        return self._send({"type": "websocket.send", "text": text, SEVERAL: more})

    async def _send_each(self, *texts: str) -> None:
        for text in texts:
            await self._send({"type": "websocket.send", "text": text})

    async def refuse(self, error: errors.DomainError) -> None:
        """Send the error, then close. Browsers can't read the body of a refused handshake."""
        if not self.is_open:
            await self.accept()
        with translation.override(language_of(self.headers)):
            text = json.dumps(frame(error))
        await self.send_text(text)
        await self.close(CLOSE_BASE + error.status)

    async def close(self, code: int) -> None:
        await self._send({"type": "websocket.close", "code": code})

    def abort(self) -> None:
        """Unsubscribe a client that does not read; nobody waits until its socket is closed."""
        self.unsubscribe()
        self.close_soon()

    def close_soon(self) -> None:
        """Close without making the caller wait."""
        self._closing = asyncio.ensure_future(self._close_quietly())

    async def _close_quietly(self) -> None:
        try:
            await self.close(SERVICE_RESTART)
        except Exception as failure:
            log.debug("a socket was closed already: %r", failure)


class NoSuchSocket(PushSocket):
    """Answers every address that no other socket has."""

    async def connect(self) -> None:
        raise errors.NotFound()
