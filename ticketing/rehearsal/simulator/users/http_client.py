"""HTTP and websocket connections of the users, from many source addresses."""

import asyncio
import ipaddress
import socket as sockets
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from ticketing.rehearsal.simulator.site import forwarded
from ticketing.rehearsal.simulator.users.responses import Response
from ticketing.rehearsal.simulator.users.user_socket import UserSocket, handshake

LOST = (aiohttp.ClientError, OSError, asyncio.TimeoutError)
CALL_TIMEOUT = aiohttp.ClientTimeout(total=40, sock_connect=15)
STREAM_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=15, sock_read=30)
KEEP_OPEN = 2.0  # seconds that idle connections stay open; servers close theirs after five
MAX_CALLS = 1_000  # under way; others wait here, and are timed from when they are sent
MAX_HANDSHAKES, HANDSHAKE_SECONDS = 200, 40.0
MAX_REST = 2.0  # seconds
USERS_PER_IP = 5
MAX_IPS = 500
BOTS_PER_RANGE = 25  # each with an address of its own
NUMBERS_PER_RANGE = 2 * BOTS_PER_RANGE  # every second user is a bot


class UserHttpClient:
    """All users' connections to the site, at most like those of a browser."""

    def __init__(
        self,
        url: str,
        *,
        people: int,
        now: Callable[[], float],
        unix_socket: str = "",
        calls: int = MAX_CALLS,
        handshakes: int = MAX_HANDSHAKES,
        rest: float = 0.0,
    ) -> None:
        """After a call its slot rests for so many times as long as the call took.

        `unix_socket` is the path at which a web process of the site listens: the users come in as
        by a proxy, which tells their addresses.
        """
        self.url, self.now, self.rest = url.rstrip("/"), now, rest
        self.unix_socket = unix_socket
        self.is_local = bool(unix_socket) or _is_loopback(self.url)
        self.ip_count = min(MAX_IPS, max(1, -(-people // USERS_PER_IP))) if self.is_local else 1
        self._sessions: dict[int, aiohttp.ClientSession] = {}
        self._calls = asyncio.Semaphore(calls)
        self._handshakes = asyncio.Semaphore(handshakes)

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

    def _source(self, ip_index: int) -> tuple[str, int] | None:
        """The loopback has many addresses, so that limits by IP see many."""
        return (source_address(self._known_index(ip_index)), 0) if self.is_local else None

    def _forwarded(self, ip_index: int) -> dict[str, str]:
        address = source_address(self._known_index(ip_index))
        return forwarded(self.url, address) if self.unix_socket else {}

    def _known_index(self, ip_index: int) -> int:
        return ip_index if ip_index < 0 else ip_index % self.ip_count

    def _session(self, ip_index: int) -> aiohttp.ClientSession:
        """The session of a source address."""
        ip_index = self._known_index(ip_index)
        if ip_index not in self._sessions:
            self._sessions[ip_index] = aiohttp.ClientSession(
                connector=self._connector(ip_index),
                headers=self._forwarded(ip_index),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=CALL_TIMEOUT,
            )
        return self._sessions[ip_index]

    def _connector(self, ip_index: int) -> aiohttp.BaseConnector:
        kept: dict[str, Any] = {"limit": 0, "keepalive_timeout": KEEP_OPEN}
        if self.unix_socket:
            return aiohttp.UnixConnector(self.unix_socket, **kept)
        source = self._source(ip_index)
        family = sockets.AF_INET if source else sockets.AF_UNSPEC
        return aiohttp.TCPConnector(family=family, local_addr=source, ttl_dns_cache=600, **kept)

    async def call(
        self, method: str, path: str, *, ip_index: int, headers: Mapping[str, str], **more: Any
    ) -> Response:
        """Make a call; without an answer the response has status 0."""
        await self._calls.acquire()
        began = self.now()
        try:
            async with self._session(ip_index).request(
                method, self.absolute_url(path), headers=headers, allow_redirects=False, **more
            ) as response:
                body = await response.read()
                return Response(response.status, began, self.now(), body, response.headers)
        except LOST:
            return Response(0, began, self.now())
        finally:
            resting = min(MAX_REST, self.rest * (self.now() - began))
            asyncio.get_running_loop().call_later(resting, self._calls.release)

    async def socket(
        self,
        path: str,
        *,
        ip_index: int,
        headers: Mapping[str, str],
        protocols: Sequence[str] = (),
    ) -> UserSocket:
        """An open websocket, from the same source address."""
        to = urlsplit(self.url)
        headers = {**headers, **self._forwarded(ip_index)}
        request = handshake(to.netloc, to.path + path, headers, protocols)
        async with self._handshakes, asyncio.timeout(HANDSHAKE_SECONDS):
            socket = await self._open(UserSocket(request), ip_index)
            try:
                await socket.opened
            except BaseException:
                socket.transport.abort()
                raise
            return socket

    async def _open(self, socket: UserSocket, ip_index: int) -> UserSocket:
        to, loop = urlsplit(self.url), asyncio.get_running_loop()
        if self.unix_socket:
            await loop.create_unix_connection(lambda: socket, self.unix_socket)
        else:
            await loop.create_connection(
                lambda: socket,
                "127.0.0.1" if to.hostname == "localhost" else str(to.hostname),
                to.port or (443 if to.scheme == "https" else 80),
                local_addr=self._source(ip_index),
                ssl=to.scheme == "https" or None,
            )
        return socket

    def stream(self, path: str, *, ip_index: int, headers: Mapping[str, str]) -> Any:
        return self._session(ip_index).get(
            self.absolute_url(path), headers=headers, timeout=STREAM_TIMEOUT
        )

    def absolute_url(self, path: str) -> str:
        return path if path.startswith("http") else f"{self.url}{path}"


def source_address(ip_index: int) -> str:
    """People come from as many ranges as addresses; bots, below zero, from many of few ranges."""
    if ip_index < 0:
        return f"127.200.{-ip_index // NUMBERS_PER_RANGE % 250}.{1 + -ip_index % 250}"
    return f"127.{16 + ip_index // 250}.{1 + ip_index % 250}.1"


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network("127.0.0.0/8")
    except ValueError:
        return False
