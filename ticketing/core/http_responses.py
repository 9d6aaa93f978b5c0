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
WITHOUT_LENGTH = frozenset({204, 304})
# Of these the site sends few different ones. Others may hold secrets, as cookies and addresses do.
KEPT = frozenset(
    {
        *(b"cache-control", b"content-encoding", b"content-language", b"content-type", b"date"),
        *(b"content-security-policy", b"cross-origin-opener-policy", b"permissions-policy"),
        *(b"referrer-policy", b"strict-transport-security", b"vary"),
        *(b"x-content-type-options", b"x-frame-options"),
    }
)


class ResponseWriter:
    """The `send` of one request."""

    __slots__ = ("cycle", "start")

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self.cycle = cycle
        self.start: Any = None

    async def __call__(self, message: Any) -> None:
        start, self.start = self.start, None
        if start is None and self._is_start(message):
            self.start = message
            return
        if start is not None:
            if whole := self._whole(start, message):
                self._write(whole)
                return
            await self.cycle.send(start)
        await self.cycle.send(message)

    def _is_start(self, message: Any) -> bool:
        return message["type"] == "http.response.start" and not self.cycle.response_started

    def _whole(self, start: Any, message: Any) -> bytes:
        """The response as it is sent; nothing if it is left to uvicorn."""
        if not self._is_last(message):
            return b""
        status, body, length = start["status"], message.get("body", b""), b""
        size, lines = b"%d" % len(body), [STATUS_LINE[status]]
        for name, value in (*self.cycle.default_headers, *start.get("headers", ())):
            name = name.lower()
            if name in LEFT:
                return b""
            if name == b"content-length":
                length = value
            lines.append(_line(name, value))
        is_head = self.cycle.scope["method"] == "HEAD"
        if (is_head and body) or (not is_head and length not in (b"", size)):
            return b""  # uvicorn leaves the body out, or says what is wrong
        if not (length or is_head or status in WITHOUT_LENGTH):
            lines.append(b"content-length: %b\r\n" % size)
        lines.append(b"\r\n" if self.cycle.keep_alive else b"connection: close\r\n\r\n")
        return b"".join((*lines, body))

    def _is_last(self, message: Any) -> bool:
        """Whether the body is complete, and can be written now."""
        is_body = message["type"] == "http.response.body" and not message.get("more_body")
        is_open = not (self.cycle.flow.write_paused or self.cycle.disconnected)
        return is_body and is_open and not self.cycle.access_log

    def _write(self, whole: bytes) -> None:
        """What uvicorn does around its two writes."""
        cycle = self.cycle
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.transport.write(whole)
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()


def _line(name: bytes, value: bytes) -> bytes:
    return _kept_line(name, value) if name in KEPT else _checked_line(name, value)


def _checked_line(name: bytes, value: bytes) -> bytes:
    if HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        raise RuntimeError("Invalid HTTP header.")
    return b"%b: %b\r\n" % (name, value)


_kept_line = lru_cache(maxsize=1_024)(_checked_line)
