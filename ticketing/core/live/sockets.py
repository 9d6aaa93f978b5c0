"""The base of our websockets: the server pushes, and refuses with one error frame and a close."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.utils import translation

from ticketing.core import errors
from ticketing.core.error_responses import OUTAGES, error_of, frame
from ticketing.core.fast_path.responses import language_of

log = logging.getLogger(__name__)

# Private close codes (4000 to 4999) that contain the HTTP status.
CLOSE_BASE = 4000
SERVICE_RESTART = 1012  # also when there is nothing more to push


class PushSocket(AsyncJsonWebsocketConsumer):
    """Subclasses override `connect` (check who it is, accept, subscribe) and `unsubscribe`."""

    channel_layer_alias = None  # a hub is faster than a channel for every client
    is_open = False
    _closing: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        raise NotImplementedError

    def unsubscribe(self) -> None:
        """Stop the pushes to this socket. May be called twice."""

    @property
    def event_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["event_id"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode("latin-1") for name, value in self.scope["headers"]}

    @property
    def own_origin(self) -> str:
        scheme = "https" if self.scope["scheme"] == "wss" else "http"
        return f"{scheme}://{self.headers.get('host', '')}"

    async def websocket_connect(self, message: dict[str, Any]) -> None:
        try:
            await self.connect()
        except StopConsumer:
            raise
        except Exception as exception:
            error = error_of(exception)
            if isinstance(exception, OUTAGES):
                log.error("%s: %s", self.scope["path"], exception)
            elif isinstance(error, errors.Broken):
                log.error("%s", self.scope["path"], exc_info=exception)
            await self.refuse(error)

    async def websocket_receive(self, message: dict[str, Any]) -> None:
        """Clients have nothing to send; the first message ends the socket, so none costs much."""
        await self.refuse(errors.InvalidInput())

    async def accept(self, *args: Any, **kwargs: Any) -> None:
        """Accept; a client that hung up before the answer is not an error."""
        self.is_open = True
        try:
            await super().accept(*args, **kwargs)
        except OSError as gone:
            self.unsubscribe()
            raise StopConsumer from gone

    def send_text(self, text: str) -> Coroutine[Any, Any, None]:
        """Straight to the server: every push to every client goes through here."""
        return self.base_send({"type": "websocket.send", "text": text})

    async def refuse(self, error: errors.DomainError) -> None:
        """Send the error, then close. Browsers can't read the body of a refused handshake."""
        if not self.is_open:
            await self.accept()
        with translation.override(language_of(self.headers)):
            await self.send_json(frame(error))
        await self.close(code=CLOSE_BASE + error.status)

    async def disconnect(self, code: int) -> None:
        self.unsubscribe()

    def abort(self) -> None:
        """Unsubscribe a client that does not read; nobody waits until its socket is closed."""
        self.unsubscribe()
        self.close_soon()

    def close_soon(self) -> None:
        """Close without making the caller wait."""
        self._closing = asyncio.ensure_future(self._close_quietly())

    async def _close_quietly(self) -> None:
        try:
            await self.close(code=SERVICE_RESTART)
        except Exception as failure:
            log.debug("a socket was closed already: %r", failure)


class NoSuchSocket(PushSocket):
    """Answers every address that no other socket has."""

    async def connect(self) -> None:
        raise errors.NotFound()
