"""How an application sends a response: head and body in one write, if the body is whole.

As ASGI wants it, a head waits for the first part of the body. Uvicorn writes it at once and checks
each header anew, which takes longer than many an answer of the event loop takes to make.
"""

from functools import lru_cache
from typing import Any

from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    RequestResponseCycle,
)

# Responses with one of these are left to uvicorn, as they change what it does next.
LEFT = frozenset({b"connection", b"transfer-encoding"})
WITHOUT_BODY = frozenset({204, 304})


class ResponseWriter:
    """The `send` of one request."""

    __slots__ = ("cycle", "start")

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self.cycle = cycle
        self.start: Any = None

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start" and not self.cycle.response_started:
            self.start = message
            return
        start, self.start = self.start, None
        if start is not None:
            if whole := self._whole(start, message):
                await self._write(whole)
                return
            await self.cycle.send(start)
        await self.cycle.send(message)

    def _whole(self, start: Any, message: Any) -> bytes:
        """The response as it is sent; nothing if it is left to uvicorn."""
        cycle, status, body = self.cycle, start["status"], message.get("body", b"")
        if message.get("more_body") or cycle.access_log:
            return b""
        lines, length = [STATUS_LINE[status]], b""
        for name, value in (*cycle.default_headers, *start.get("headers", ())):
            name = name.lower()
            if name in LEFT:
                return b""
            if name == b"content-length":
                length = value
            else:
                lines.append(_line(name, value))
        if cycle.scope["method"] == "HEAD" or status in WITHOUT_BODY:
            body = b""
        elif length in (b"", size := b"%d" % len(body)):
            length = size
        else:
            return b""  # uvicorn says what is wrong
        if length:
            lines.append(b"content-length: %b\r\n" % length)
        lines.append(b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n")
        return b"".join((*lines, body))

    async def _write(self, whole: bytes) -> None:
        """What uvicorn does around its two writes."""
        cycle = self.cycle
        if cycle.flow.write_paused and not cycle.disconnected:
            await cycle.flow.drain()
        if cycle.disconnected:
            return
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.transport.write(whole)
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()


def _line(name: bytes, value: bytes) -> bytes:
    """Most headers are the same in every response; cookies are kept nowhere."""
    return _checked_line(name, value) if name == b"set-cookie" else _kept_line(name, value)


def _checked_line(name: bytes, value: bytes) -> bytes:
    if HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        raise RuntimeError("Invalid HTTP header.")
    return b"%b: %b\r\n" % (name, value)


_kept_line = lru_cache(maxsize=1_024)(_checked_line)
