"""A light HTTP client on a raw asyncio protocol: the crowd must cost less than the site."""

import asyncio
import gzip
import json
import re
import resource
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
LAST_CHUNK = b"0\r\n\r\n"
WEBSOCKET = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    head: bytes
    raw: bytes

    @property
    def size(self) -> int:
        return len(self.raw)

    @property
    def body(self) -> bytes:
        raw = _joined(self.raw) if CHUNKED.search(self.head) else self.raw
        return gzip.decompress(raw) if self.header("content-encoding") == "gzip" else raw

    def json(self) -> dict[str, Any]:
        found = json.loads(self.body or b"{}")
        return found if isinstance(found, dict) else {}

    def header(self, name: str) -> str:
        return next(iter(self.headers(name)), "")

    def headers(self, name: str) -> list[str]:
        lines = (line.partition(":") for line in self.head.decode("latin-1").split("\r\n"))
        return [value.strip() for key, _, value in lines if key.lower() == name]


class Connection(asyncio.Protocol):
    """A keep-alive connection: one request at a time, opened when needed."""

    def __init__(self, url: str) -> None:
        to = urlsplit(url)
        assert to.hostname
        assert to.port
        self.address, self.netloc = (to.hostname, to.port), to.netloc
        self.transport: Any = None
        self.answer: asyncio.Future[Response] | None = None
        self.data = bytearray()

    async def ask(self, request: bytes) -> Response:
        """Send a request made by `request_bytes`; ConnectionError if no answer comes."""
        if self.transport is None or self.transport.is_closing():
            await self.open()
        self.answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self.answer

    async def open(self) -> None:
        await asyncio.get_running_loop().create_connection(lambda: self, *self.address)

    def close(self) -> None:
        if self.transport:
            self.transport.close()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.data.clear()

    def data_received(self, data: bytes) -> None:
        self.data += data
        end = self.data.find(b"\r\n\r\n") + 4
        if end == 3:
            return
        head = bytes(self.data[:end])
        length = LENGTH.search(head)
        if length:
            is_whole = len(self.data) >= end + int(length[1])
        else:
            is_whole = not CHUNKED.search(head) or self.data.endswith(LAST_CHUNK, end)
        if is_whole and self.answer and not self.answer.done():
            self.answer.set_result(Response(int(head[9:12]), head, bytes(self.data[end:])))
            self.data.clear()

    def connection_lost(self, failure: Exception | None) -> None:
        if self.answer and not self.answer.done():
            self.answer.set_exception(ConnectionError("closed without an answer"))


class Frames(asyncio.Protocol):
    """A websocket of which only the text that arrives is looked at."""

    def __init__(self, request: bytes, wanted: re.Pattern[bytes]) -> None:
        self.request, self.wanted = request, wanted
        self.found: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.data = bytearray()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.data += data
        if self.found.done():
            return
        if match := self.wanted.search(self.data):
            self.found.set_result(match[0])
        elif self.data.startswith(b"HTTP/1.1 ") and not self.data.startswith(b"HTTP/1.1 101"):
            self.found.set_exception(ConnectionError(bytes(self.data[:200]).decode("latin-1")))
        elif len(self.data) > 65_536:
            del self.data[:-4_096]

    def connection_lost(self, failure: Exception | None) -> None:
        if not self.found.done():
            self.found.set_exception(ConnectionError("the socket was closed"))


async def wait_for_frame(
    url: str, path: str, headers: Mapping[str, str], wanted: re.Pattern[bytes]
) -> bytes:
    """Open a websocket, wait until a frame matches, close it."""
    to, loop = urlsplit(url), asyncio.get_running_loop()
    assert to.hostname
    assert to.port
    request = request_bytes("GET", to.netloc, path, {**WEBSOCKET, **headers})
    _, frames = await loop.create_connection(lambda: Frames(request, wanted), to.hostname, to.port)
    try:
        return await frames.found
    finally:
        frames.transport.close()


def request_bytes(
    method: str, netloc: str, path: str, headers: Mapping[str, str], body: bytes | None = None
) -> bytes:
    own = {"Host": netloc} | ({} if body is None else {"Content-Length": str(len(body))})
    lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in {**own, **headers}.items())]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


def percentile(times: Sequence[float], share: float) -> float:
    """Of a list in any order, in milliseconds."""
    return 1000 * sorted(times)[min(int(len(times) * share), len(times) - 1)] if times else 0.0


def own_cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run_loop(main: Coroutine[Any, Any, Any]) -> Any:
    """Run with uvloop, which halves what the crowd costs."""
    import uvloop

    return uvloop.run(main)


def _joined(raw: bytes) -> bytes:
    """The content of a chunked body."""
    parts, at = [], 0
    while at < len(raw):
        size, _, _ = raw[at:].partition(b"\r\n")
        begins = at + len(size) + 2
        parts.append(raw[begins : begins + int(size, 16)])
        at = begins + int(size, 16) + 2
    return b"".join(parts)
