"""The HTTP client under the SDK, in the place of its httpx client: aiohttp's connections.

httpx takes six times the processor of a call: its pool looks at every connection for every request,
and each address, header and body becomes an object. Errors are httpx's, as the SDK's users know
them.
"""

import json
import ssl
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from yarl import URL

from ticketing.core import traces

# Seconds to connect and idempotency key of the request that this task is making.
request_options: ContextVar[tuple[float, str]] = ContextVar("request_options")

# The gateway closes idle connections, perhaps at the moment at which one is used again.
CLOSED = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)


@dataclass(frozen=True, slots=True)
class Response:
    """As much of a response as the SDK looks at."""

    status_code: int
    content: bytes

    def json(self) -> Any:
        return json.loads(self.content)


class SdkHttpClient:
    """Belongs to the event loop of its first request. Only connecting has a timeout here."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None

    async def request(
        self,
        method: str,
        url: str,
        *,
        params: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str],
        json: Any = None,
    ) -> Response:
        """Called by the SDK, as httpx's own."""
        connect, key = request_options.get()
        address = URL(f"{url}?{urlencode(params)}" if params else url, encoded=True)
        more = traces.headers() | ({"Idempotency-Key": key} if key else {})
        may_repeat = bool(key) or method == "GET"
        try:
            try:
                return await self.send(method, address, {**headers, **more}, json, connect)
            except CLOSED as closed:
                if not may_repeat or isinstance(closed, aiohttp.ClientConnectorError):
                    raise
                return await self.send(method, address, {**headers, **more}, json, connect)
        except aiohttp.ConnectionTimeoutError as failure:
            raise httpx.ConnectTimeout(str(failure)) from failure
        except aiohttp.ClientConnectorError as failure:
            raise httpx.ConnectError(str(failure)) from failure
        except (aiohttp.ClientError, OSError) as failure:
            raise httpx.RemoteProtocolError(str(failure)) from failure

    async def send(
        self, method: str, address: URL, headers: dict[str, str], body: Any, connect: float
    ) -> Response:
        async with self._open_session(address).request(
            method,
            address,
            headers=headers,
            json=body,
            timeout=aiohttp.ClientTimeout(sock_connect=connect),
            allow_redirects=False,
        ) as response:
            return Response(response.status, await response.read())

    async def aclose(self) -> None:
        if self._session:
            await self._session.close()

    def _open_session(self, address: URL) -> aiohttp.ClientSession:
        """Unbounded, because the gateway's slots are the bound; it keeps no cookies."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ssl=self._tls),
                cookie_jar=aiohttp.DummyCookieJar(),
                proxy=_proxy(address),
            )
        return self._session


def _proxy(address: URL) -> str | None:
    """As the environment says; aiohttp itself would read it in a thread for each call."""
    return None if proxy_bypass(address.host or "") else getproxies().get(address.scheme)
