"""Websockets for uvicorn that only push: a message of a client ends its socket unread.

Uvicorn's own implementations parse the handshake again and can receive messages of any size.
Thousands of clients open a socket in the same second and send nothing: this protocol costs a
quarter of what uvicorn's does.
"""

import asyncio
import logging
from collections import deque
from typing import Any
from urllib.parse import unquote

from uvicorn.config import Config
from uvicorn.protocols.utils import ClientDisconnected, get_local_addr, get_remote_addr, is_ssl
from uvicorn.server import ServerState

from ticketing.core.live import websocket_frames as frames
from ticketing.core.live.handshakes import handshakes_of
from ticketing.core.live.websocket_handshake import (
    BadHandshake,
    HandshakeRequest,
    read_request,
    refused,
)

log = logging.getLogger("uvicorn.error")

CLOSE_SECONDS = 10.0  # for the client to answer our close frame
# Our extension of ASGI: further texts of a message, sent in the same write.
SEVERAL = "ticketing.several"


class PushProtocol(asyncio.Protocol):
    """One websocket, from the handshake on."""

    transport: asyncio.Transport
    request: HandshakeRequest

    def __init__(
        self, config: Config, server_state: ServerState, app_state: dict[str, Any], **_: Any
    ) -> None:
        self.config, self.state = config, server_state
        self.loop = asyncio.get_running_loop()
        self.scope: dict[str, Any] | None = None
        self.is_accepted = self.is_closing = self.is_gone = False
        self._rest = self._unsent = b""
        self._events: deque[dict[str, Any]] = deque()
        self._waiting: asyncio.Future[None] | None = None  # for the next event
        self._writable: asyncio.Event | None = None  # only while the client is slow
        self._is_quiet = False  # nothing was received since the last ping
        self._timer: asyncio.TimerHandle | None = None

    # -- from the transport -----------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.state.connections.add(self)  # type: ignore[arg-type]

    def data_received(self, data: bytes) -> None:
        if self.scope is None:
            self._handshake(data)
            return
        self._is_quiet = False
        self._rest = self._read_frames(self._rest + data if self._rest else data)

    def connection_lost(self, exception: Exception | None) -> None:
        self.is_gone = True
        self.state.connections.discard(self)
        self._set_timer(None)
        self._disconnected(frames.NO_CODE if self.is_accepted else frames.ABNORMAL)
        self.resume_writing()
        if exception is None:
            self.transport.close()

    def pause_writing(self) -> None:
        self._writable = asyncio.Event()

    def resume_writing(self) -> None:
        if self._writable is not None:
            self._writable.set()
            self._writable = None

    def shutdown(self) -> None:
        """Called by the server when it stops."""
        if self.is_accepted and not self.is_closing:
            self._send_close(frames.RESTART)
        self.transport.close()

    # -- the handshake ----------------------------------------------------------------------------

    def _handshake(self, data: bytes) -> None:
        try:
            self.request = read_request(data)
        except BadHandshake as bad:
            self._refuse(bad.response)
            return
        self.scope = self._scope(self.request)
        self._events.append({"type": "websocket.connect"})
        handshakes_of(self.loop).add(self._start)

    def _scope(self, request: HandshakeRequest) -> dict[str, Any]:
        path, _, query = request.target.partition(b"?")
        return {
            "type": "websocket",
            "asgi": {"version": self.config.asgi_version, "spec_version": "2.4"},
            "http_version": "1.1",
            "scheme": "wss" if is_ssl(self.transport) else "ws",
            "server": get_local_addr(self.transport),
            "client": get_remote_addr(self.transport),
            "root_path": self.config.root_path,
            "path": unquote(path.decode("ascii")),
            "raw_path": path,
            "query_string": query,
            "headers": request.headers,
            "subprotocols": request.subprotocols,
            "extensions": {SEVERAL: {}},
            "state": {},
        }

    def _refuse(self, response: bytes) -> None:
        self.is_closing = True
        self.transport.write(response)
        self.transport.close()

    def _start(self) -> None:
        if not self.is_gone:
            task = self.loop.create_task(self._run())
            self.state.tasks.add(task)
            task.add_done_callback(self.state.tasks.discard)

    async def _run(self) -> None:
        try:
            await self.config.loaded_app(self.scope, self.receive, self.send)
        except ClientDisconnected:
            pass
        except Exception:
            log.exception("Exception in ASGI application\n")
        if self.transport.is_closing():  # the client has left already
            return
        if not (self.is_accepted or self.is_closing):
            self._refuse(refused(500, b"Internal Server Error"))
        elif not self.is_closing:
            self._write(b"")
            self.transport.close()

    # -- for the application ----------------------------------------------------------------------

    async def receive(self) -> dict[str, Any]:
        while not self._events:
            self._waiting = self.loop.create_future()
            await self._waiting
        return self._events.popleft()

    async def send(self, message: dict[str, Any]) -> None:
        """Waits only for a slow client; for all others a hub sends without creating a task."""
        while self._writable is not None:
            await self._writable.wait()
        if self.is_gone:
            raise ClientDisconnected
        kind = message["type"]
        if kind == "websocket.send" and self.is_accepted and not self.is_closing:
            data = frames.frame(frames.TEXT, message["text"].encode())
            if more := message.get(SEVERAL):
                data = b"".join((data, *map(frames.shared_frame, more)))
            self._write(data)
        elif kind == "websocket.accept" and not (self.is_accepted or self.is_closing):
            self._accept(message.get("subprotocol"))
        elif kind == "websocket.close" and not self.is_closing:
            self._close(message.get("code", frames.NORMAL))
        else:
            raise RuntimeError(f"Unexpected {kind} of a websocket")

    def _accept(self, subprotocol: str | None) -> None:
        self._unsent = self.request.accepted(subprotocol)
        # Written a turn later, together with the application's first message if it has one by then.
        self.loop.call_soon(self._write, b"")
        self.is_accepted = True
        if self.config.ws_ping_interval:
            self._set_timer(self.config.ws_ping_interval, self._ping)

    def _write(self, data: bytes) -> None:
        if self._unsent:
            data, self._unsent = self._unsent + data, b""
        if data and not self.is_gone:
            self.transport.write(data)

    def _close(self, code: int) -> None:
        if not self.is_accepted:
            self._refuse(refused(403, b"Forbidden"))
            self._disconnected(frames.ABNORMAL)
            return
        self._send_close(code)
        self._disconnected(code)
        self._set_timer(CLOSE_SECONDS, self.transport.close)

    # -- frames -----------------------------------------------------------------------------------

    def _read_frames(self, data: bytes) -> bytes:
        """Handle all complete control frames; return the beginning of the next frame."""
        at, size = 0, len(data)
        while size - at >= 2 and not self.transport.is_closing():
            opcode, length = data[at] & 0x0F, data[at + 1] & 0x7F
            if data[at] & 0x70 or not data[at + 1] & frames.MASKED:
                self._fail()
            elif opcode not in frames.CONTROL:
                self._message()
                return b""
            elif length > frames.MAX_CONTROL or not data[at] & frames.LAST_FRAME:
                self._fail()
            elif size - at < 6 + length:
                break
            else:
                self._control(
                    opcode, frames.unmasked(data[at + 2 : at + 6], data[at + 6 : at + 6 + length])
                )
                at += 6 + length
        return data[at:]

    def _message(self) -> None:
        """Report a message of the client to the application, and read nothing of it."""
        if not self.is_closing:
            self.transport.pause_reading()
            self._event({"type": "websocket.receive", "text": ""})

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == frames.PING and not self.is_closing:
            self._write(frames.frame(frames.PONG, payload))
        elif opcode == frames.CLOSE:
            if not self.is_closing:
                code = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else frames.NO_CODE
                self.is_closing = True
                self._write(frames.frame(frames.CLOSE, payload[:2]))
                self._disconnected(code)
            self.transport.close()

    def _fail(self) -> None:
        if not self.is_closing:
            self._send_close(frames.PROTOCOL_ERROR)
            self._disconnected(frames.PROTOCOL_ERROR)
        self.transport.close()

    def _send_close(self, code: int) -> None:
        self.is_closing = True
        self._write(frames.frame(frames.CLOSE, code.to_bytes(2, "big")))
        self.transport.resume_reading()  # the client's close frame is still expected

    # -- keepalive --------------------------------------------------------------------------------

    def _ping(self) -> None:
        """Send a ping; a client that sends nothing until the timeout is disconnected."""
        if self.is_closing:
            return
        self._is_quiet = True
        self._write(frames.frame(frames.PING, b""))
        self._set_timer(self.config.ws_ping_timeout or CLOSE_SECONDS, self._check_pong)

    def _check_pong(self) -> None:
        if self._is_quiet and not self.is_closing:
            self._send_close(frames.NO_PONG)
            self.transport.close()
        elif self.config.ws_ping_interval:
            self._set_timer(self.config.ws_ping_interval, self._ping)

    def _set_timer(self, seconds: float | None, callback: Any = None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, callback) if seconds is not None else None

    # -- events -----------------------------------------------------------------------------------

    def _disconnected(self, code: int) -> None:
        self._event({"type": "websocket.disconnect", "code": code})

    def _event(self, event: dict[str, Any]) -> None:
        self._events.append(event)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
