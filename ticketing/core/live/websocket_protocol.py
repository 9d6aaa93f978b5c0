"""Websockets for uvicorn that only push: a client's first message is its last.

Uvicorn's own implementations parse the handshake again and can receive messages of any size.
Thousands open a socket in the same second, and none has anything to say: this costs a quarter.
"""

import asyncio
import base64
import binascii
import hashlib
import logging
from collections import deque
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from uvicorn.config import Config
from uvicorn.protocols.utils import ClientDisconnected, get_local_addr, get_remote_addr, is_ssl
from uvicorn.server import ServerState

from ticketing.core.live.handshakes import handshakes_of

log = logging.getLogger("uvicorn.error")

KEY_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA
CONTROL = frozenset({CLOSE, PING, PONG})
LAST_FRAME, MASKED = 0x80, 0x80
MAX_CONTROL = 125
NORMAL, PROTOCOL_ERROR, NO_CODE, ABNORMAL, RESTART, NO_PONG = 1000, 1002, 1005, 1006, 1012, 1011
CLOSE_SECONDS = 10.0  # for the client to answer our close frame
# Our extension of ASGI: further texts of a message, sent in the same write.
SEVERAL = "ticketing.several"
REFUSED = b"HTTP/1.1 %d %b\r\nconnection: close\r\ncontent-length: 0\r\n%b\r\n"


class PushProtocol(asyncio.Protocol):
    """One websocket, from the handshake on."""

    transport: asyncio.Transport

    def __init__(
        self, config: Config, server_state: ServerState, app_state: dict[str, Any], **_: Any
    ) -> None:
        self.config, self.state = config, server_state
        self.loop = asyncio.get_running_loop()
        self.scope: dict[str, Any] | None = None
        self.accept_key = b""
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
        self._disconnected(NO_CODE if self.is_accepted else ABNORMAL)
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
            self._send_close(RESTART)
        self.transport.close()

    # -- the handshake ----------------------------------------------------------------------------

    def _handshake(self, request: bytes) -> None:
        """Read the request; uvicorn has parsed it before, and writes it again for us."""
        first, *lines = request.split(b"\r\n")
        method, target, _ = first.split(b" ", 2)
        headers = [
            (name, value) for name, _, value in (line.partition(b": ") for line in lines if line)
        ]
        found = dict(headers)
        if method != b"GET" or not _is_key(key := found.get(b"sec-websocket-key", b"")):
            self._refuse(400, b"Bad Request")
        elif found.get(b"sec-websocket-version") != b"13":
            self._refuse(426, b"Upgrade Required", b"sec-websocket-version: 13\r\n")
        else:
            self.accept_key = base64.b64encode(
                hashlib.sha1(key + KEY_SUFFIX, usedforsecurity=False).digest()
            )
            self.scope = self._scope(target, headers, found)
            self._events.append({"type": "websocket.connect"})
            handshakes_of(self.loop).add(self._start)

    def _scope(
        self, target: bytes, headers: list[tuple[bytes, bytes]], found: dict[bytes, bytes]
    ) -> dict[str, Any]:
        path, _, query = target.partition(b"?")
        offered = found.get(b"sec-websocket-protocol", b"").decode("latin-1")
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
            "headers": headers,
            "subprotocols": [each.strip() for each in offered.split(",")] if offered else [],
            "extensions": {SEVERAL: {}},
            "state": {},
        }

    def _refuse(self, status: int, reason: bytes, more: bytes = b"") -> None:
        self.is_closing = True
        self.transport.write(REFUSED % (status, reason, more))
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
            self._refuse(500, b"Internal Server Error")
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
        """Waits only for a client that is slow; hubs send to everybody else without a task."""
        while self._writable is not None:
            await self._writable.wait()
        if self.is_gone:
            raise ClientDisconnected
        kind = message["type"]
        if kind == "websocket.send" and self.is_accepted and not self.is_closing:
            data = _frame(TEXT, message["text"].encode())
            if more := message.get(SEVERAL):
                data = b"".join((data, *map(_shared_frame, more)))
            self._write(data)
        elif kind == "websocket.accept" and not (self.is_accepted or self.is_closing):
            self._accept(message.get("subprotocol"))
        elif kind == "websocket.close" and not self.is_closing:
            self._close(message.get("code", NORMAL))
        else:
            raise RuntimeError(f"Unexpected {kind} of a websocket")

    def _accept(self, subprotocol: str | None) -> None:
        chosen = b"sec-websocket-protocol: %b\r\n" % subprotocol.encode() if subprotocol else b""
        self._unsent = (
            b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
            b"sec-websocket-accept: %b\r\n%b\r\n" % (self.accept_key, chosen)
        )
        self.loop.call_soon(self._write, b"")  # by then the first message is often there
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
            self._refuse(403, b"Forbidden")
            self._disconnected(ABNORMAL)
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
            if data[at] & 0x70 or not data[at + 1] & MASKED:
                self._fail()
            elif opcode not in CONTROL:
                self._message()
                return b""
            elif length > MAX_CONTROL or not data[at] & LAST_FRAME:
                self._fail()
            elif size - at < 6 + length:
                break
            else:
                self._control(
                    opcode, _unmasked(data[at + 2 : at + 6], data[at + 6 : at + 6 + length])
                )
                at += 6 + length
        return data[at:]

    def _message(self) -> None:
        """Whatever it says, and however long it is: nothing more of it is read."""
        if not self.is_closing:
            self.transport.pause_reading()
            self._event({"type": "websocket.receive", "text": ""})

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == PING and not self.is_closing:
            self._write(_frame(PONG, payload))
        elif opcode == CLOSE:
            if not self.is_closing:
                code = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else NO_CODE
                self.is_closing = True
                self._write(_frame(CLOSE, payload[:2]))
                self._disconnected(code)
            self.transport.close()

    def _fail(self) -> None:
        if not self.is_closing:
            self._send_close(PROTOCOL_ERROR)
            self._disconnected(PROTOCOL_ERROR)
        self.transport.close()

    def _send_close(self, code: int) -> None:
        self.is_closing = True
        self._write(_frame(CLOSE, code.to_bytes(2, "big")))
        self.transport.resume_reading()  # the client's close frame is still expected

    # -- keepalive --------------------------------------------------------------------------------

    def _ping(self) -> None:
        """A client that answers nothing until the timeout is gone."""
        if self.is_closing:
            return
        self._is_quiet = True
        self._write(_frame(PING, b""))
        self._set_timer(self.config.ws_ping_timeout or CLOSE_SECONDS, self._check_pong)

    def _check_pong(self) -> None:
        if self._is_quiet and not self.is_closing:
            self._send_close(NO_PONG)
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


def _is_key(key: bytes) -> bool:
    try:
        return len(base64.b64decode(key, validate=True)) == 16
    except binascii.Error:
        return False


def _frame(opcode: int, payload: bytes) -> bytes:
    size = len(payload)
    if size <= MAX_CONTROL:
        return bytes((LAST_FRAME | opcode, size)) + payload
    if size < 0x10000:
        return bytes((LAST_FRAME | opcode, 126, size >> 8, size & 0xFF)) + payload
    return bytes((LAST_FRAME | opcode, 127)) + size.to_bytes(8, "big") + payload


@lru_cache(maxsize=64)
def _shared_frame(text: str) -> bytes:
    """Of a text that is sent to everybody: encoded once."""
    return _frame(TEXT, text.encode())


def _unmasked(mask: bytes, payload: bytes) -> bytes:
    return bytes(byte ^ mask[at & 3] for at, byte in enumerate(payload))
