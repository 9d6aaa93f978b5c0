"""Calls and sockets to the site, from many homes."""

import asyncio
import ipaddress
import socket as sockets
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from ticketing.rehearsal.simulator.users.answers import Answer

LOST = (aiohttp.ClientError, OSError, asyncio.TimeoutError)
PATIENCE = aiohttp.ClientTimeout(total=40, sock_connect=15)
STREAM = aiohttp.ClientTimeout(total=None, sock_connect=15, sock_read=30)
KEEP_OPEN = (
    2.0  # seconds that a connection waits for the next call; servers close theirs after five
)
AT_ONCE = 1_000  # calls under way; the rest queue here, and are timed from when they go out
HANDSHAKES = 200
PER_HOME = 20
HOMES = 500


class Door:
    """The site's front door. Nobody who goes through it learns more than a browser would."""

    def __init__(self, url: str, *, people: int, now: Callable[[], float]) -> None:
        self.url, self.now = url.rstrip("/"), now
        self.is_local = _is_loopback(self.url)
        self.homes = min(HOMES, max(1, -(-people // PER_HOME))) if self.is_local else 1
        self._sessions: dict[int, aiohttp.ClientSession] = {}
        self._calls = asyncio.Semaphore(AT_ONCE)
        self._handshakes = asyncio.Semaphore(HANDSHAKES)

    async def __aenter__(self) -> "Door":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None
    ) -> None:
        await asyncio.gather(*(session.close() for session in self._sessions.values()))

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def _session(self, home: int) -> aiohttp.ClientSession:
        """The loopback has many addresses, so that limits by address see many homes."""
        home %= self.homes
        if home not in self._sessions:
            source = (f"127.0.{1 + home // 250}.{1 + home % 250}", 0) if self.is_local else None
            connector = aiohttp.TCPConnector(
                family=sockets.AF_INET if source else sockets.AF_UNSPEC,
                local_addr=source,
                limit=0,
                keepalive_timeout=KEEP_OPEN,
                ttl_dns_cache=600,
            )
            self._sessions[home] = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), timeout=PATIENCE
            )
        return self._sessions[home]

    async def call(
        self, method: str, path: str, *, home: int, headers: Mapping[str, str], **more: Any
    ) -> Answer:
        """One call. That no answer came is an answer, too."""
        async with self._calls:
            began = self.now()
            try:
                async with self._session(home).request(
                    method, self.address(path), headers=headers, allow_redirects=False, **more
                ) as response:
                    body = await response.read()
                    return Answer(response.status, began, self.now(), body, response.headers)
            except LOST:
                return Answer(0, began, self.now())

    async def socket(
        self, path: str, *, home: int, headers: Mapping[str, str]
    ) -> aiohttp.ClientWebSocketResponse:
        async with self._handshakes:
            return await self._session(home).ws_connect(
                self.address(path), headers=headers, max_msg_size=2**20
            )

    def stream(self, path: str, *, home: int, headers: Mapping[str, str]) -> Any:
        return self._session(home).get(self.address(path), headers=headers, timeout=STREAM)

    def address(self, path: str) -> str:
        return path if path.startswith("http") else f"{self.url}{path}"


async def hang_up(socket: aiohttp.ClientWebSocketResponse, *, abruptly: bool = False) -> None:
    """Like closing a page; or like a tunnel, which says no goodbye."""
    if abruptly and (raw := socket.get_extra_info("socket")):
        with suppress(OSError):
            raw.shutdown(sockets.SHUT_RDWR)
    with suppress(*LOST):
        async with asyncio.timeout(5):  # `wait_for` may swallow that somebody else cancels us
            await socket.close()


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network("127.0.0.0/8")
    except ValueError:
        return False
