"""A websocket of a user, which only listens: each frame is handed over as it arrives.

Thousands of users get a frame every second. A client that wakes up a task for each of them costs
the simulator more than the site needs to send it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

KEY, ACCEPTED = "dGhlIHNhbXBsZSBub25jZQ==", b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="  # RFC 6455's example
TEXT, CLOSE, PING, PONG = 0x81, 0x88, 0x89, 0x8A
CLOSE_SECONDS = 5.0
# Takes a text; False if the user needs no more.
Receive = Callable[[str], bool]


class SocketRefused(OSError):
    """The handshake was answered with a status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"refused with {status}")
        self.status = status


class UserSocket(asyncio.Protocol):
    transport: asyncio.Transport

    def __init__(self, request: bytes) -> None:
        loop = asyncio.get_running_loop()
        self.request, self.heard_at = request, loop.time()
        self.opened: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()  # nothing more is handed over
        self.gone: asyncio.Future[None] = loop.create_future()
        self._loop, self._rest = loop, b""
        self._early: list[str] = []
        self._receive: Receive = self._keep

    def listen(self, receive: Receive) -> None:
        """Hand over every text from now on, and those that came before."""
        self._receive, early = receive, self._early
        self._early = []
        for text in early:
            self._hand_over(text)

    async def close(self, *, abruptly: bool = False) -> None:
        """Close it; abruptly without a closing handshake, as when the network is lost."""
        self._end()
        if abruptly:
            self.transport.abort()
        elif not self.gone.done():
            self.transport.write(bytes((CLOSE, 0x82, 0, 0, 0, 0, 0x03, 0xE8)))  # 1000: normal
            await asyncio.wait([self.gone], timeout=CLOSE_SECONDS)
            self.transport.abort()

    # -- from the transport -----------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        data = self._rest + data if self._rest else data
        if not self.opened.done():
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self._rest = head
                return
            if not self._check_handshake(head):
                return
        self._rest = self._read_frames(data)

    def connection_lost(self, failure: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(failure or ConnectionResetError("closed"))
        self._end()
        self.gone.set_result(None)

    # -- frames -----------------------------------------------------------------------------------

    def _check_handshake(self, head: bytes) -> bool:
        if head.startswith(b"HTTP/1.1 101") and ACCEPTED in head:
            self.opened.set_result(None)
            return True
        self.opened.set_exception(SocketRefused(int(head[9:12])))
        self.transport.abort()
        return False

    def _read_frames(self, data: bytes) -> bytes:
        """Handle all complete frames; return the beginning of the next one."""
        at, size = 0, len(data)
        while size - at >= 2:
            length, start = data[at + 1], at + 2
            if length >= 126:
                start += 2 if length == 126 else 8
                length = int.from_bytes(data[at + 2 : start], "big")
            if size < start + length:
                break
            self._handle_frame(data[at], data[start : start + length])
            at = start + length
        return data[at:]

    def _handle_frame(self, kind: int, payload: bytes) -> None:
        if kind == TEXT:
            self._hand_over(payload.decode())
        elif kind == PING:
            self.transport.write(bytes((PONG, 0x80 | len(payload), 0, 0, 0, 0)) + payload)
        elif kind == CLOSE:
            self._end()
            self.transport.close()

    def _hand_over(self, text: str) -> None:
        if self.ended.done():
            return
        self.heard_at = self._loop.time()
        try:
            if not self._receive(text):
                self._end()
        except Exception as failure:  # a bug of the simulator: whoever waits for the end raises it
            self.ended.set_exception(failure)

    def _keep(self, text: str) -> bool:
        self._early.append(text)
        return True

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


def handshake(
    netloc: str, path: str, headers: Mapping[str, str], protocols: Sequence[str]
) -> bytes:
    own = {
        "Host": netloc,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": KEY,
    }
    if protocols:
        own["Sec-WebSocket-Protocol"] = ", ".join(protocols)
    lines = [f"GET {path} HTTP/1.1", *(f"{k}: {v}" for k, v in {**own, **headers}.items())]
    return "\r\n".join([*lines, "", ""]).encode()
