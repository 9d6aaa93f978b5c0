"""Websockets refuse like everything else: one error frame, then they close."""

from typing import Any

from channels.generic.websocket import AsyncJsonWebsocketConsumer

from ticketing.core import errors
from ticketing.core.error_responses import frame

# Private codes (4000 to 4999) that say the HTTP status.
CLOSE_BASE = 4000


class Socket(AsyncJsonWebsocketConsumer):
    """The base of our consumers."""

    async def refuse(self, error: errors.DomainError) -> None:
        """Say why, then close. Browsers can't read the body of a refused handshake."""
        await self.accept()
        await self.send_json(frame(error))
        await self.close(code=CLOSE_BASE + error.status)


class NoSuchSocket(Socket):
    """Answers at every address that nobody else does."""

    async def websocket_connect(self, message: dict[str, Any]) -> None:
        await self.refuse(errors.NotFound())
