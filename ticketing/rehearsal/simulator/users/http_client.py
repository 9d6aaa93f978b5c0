"""HTTP and websocket connections of the users, from many source addresses."""

import asyncio
import ipaddress
import socket as sockets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from ticketing.rehearsal.simulator.users.responses import Response

LOST = (aiohttp.ClientError, OSError, asyncio.TimeoutError)
CALL_TIMEOUT = aiohttp.ClientTimeout(total=40, sock_connect=15)
STREAM_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=15, sock_read=30)
KEEP_OPEN = 2.0  # seconds that idle connections stay open; servers close theirs after five
MAX_CALLS = 1_000  # under way; others wait here, and are timed from when they are sent
MAX_HANDSHAKES = 200
USERS_PER_IP = 20
MAX_IPS = 500


class UserHttpClient:
    """All users' connections to the site, at most like those of a browser."""

    def __init__(self, url: str, *, people: int, now: Callable[[], float]) -> None:
        self.url, self.now = url.rstrip("/"), now
        self.is_local = _is_loopback(self.url)
        self.ip_count = min(MAX_IPS, max(1, -(-people // USERS_PER_IP))) if self.is_local else 1
        self._sessions: dict[int, aiohttp.ClientSession] = {}
        self._calls = asyncio.Semaphore(MAX_CALLS)
        self._handshakes = asyncio.Semaphore(MAX_HANDSHAKES)

    async def __aenter__(self) -> "UserHttpClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None
    ) -> None:
        await asyncio.gather(*(session.close() for session in self._sessions.values()))

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def _session(self, ip_index: int) -> aiohttp.ClientSession:
        """The session of a source address: the loopback has many, so that limits by IP see many."""
        ip_index %= self.ip_count
        if ip_index not in self._sessions:
            ip = f"127.0.{1 + ip_index // 250}.{1 + ip_index % 250}"
            source = (ip, 0) if self.is_local else None
            connector = aiohttp.TCPConnector(
                family=sockets.AF_INET if source else sockets.AF_UNSPEC,
                local_addr=source,
                limit=0,
                keepalive_timeout=KEEP_OPEN,
                ttl_dns_cache=600,
            )
            self._sessions[ip_index] = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), timeout=CALL_TIMEOUT
            )
        return self._sessions[ip_index]

    async def call(
        self, method: str, path: str, *, ip_index: int, headers: Mapping[str, str], **more: Any
    ) -> Response:
        """Make a call; without an answer the response has status 0."""
        async with self._calls:
            began = self.now()
            try:
                async with self._session(ip_index).request(
                    method, self.absolute_url(path), headers=headers, allow_redirects=False, **more
                ) as response:
                    body = await response.read()
                    return Response(response.status, began, self.now(), body, response.headers)
            except LOST:
                return Response(0, began, self.now())

    async def socket(
        self,
        path: str,
        *,
        ip_index: int,
        headers: Mapping[str, str],
        protocols: Sequence[str] = (),
    ) -> aiohttp.ClientWebSocketResponse:
        async with self._handshakes:
            return await self._session(ip_index).ws_connect(
                self.absolute_url(path), headers=headers, protocols=protocols, max_msg_size=2**20
            )

    def stream(self, path: str, *, ip_index: int, headers: Mapping[str, str]) -> Any:
        return self._session(ip_index).get(
            self.absolute_url(path), headers=headers, timeout=STREAM_TIMEOUT
        )

    def absolute_url(self, path: str) -> str:
        return path if path.startswith("http") else f"{self.url}{path}"


async def close_socket(socket: aiohttp.ClientWebSocketResponse, *, abruptly: bool = False) -> None:
    """Close a socket; abruptly without a closing handshake, as when the network is lost."""
    if abruptly and (raw := socket.get_extra_info("socket")):
        with suppress(OSError):
            raw.shutdown(sockets.SHUT_RDWR)
    with suppress(*LOST):
        async with asyncio.timeout(5):  # `wait_for` may swallow a cancellation
            await socket.close()


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network("127.0.0.0/8")
    except ValueError:
        return False
