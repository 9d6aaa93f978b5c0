"""A client of a site's rehearsal API (docs/rehearsal.md). It retries while servers are killed."""

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping
from itertools import count
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import aiohttp

LOST = (aiohttp.ClientError, OSError, asyncio.TimeoutError)
RETRY_STATUSES = frozenset({429, 500, 502, 503, 504})
RETRY_SECONDS = 120.0  # the longest outage that is waited for
CALL_TIMEOUT = 60.0
SNAPSHOT_TIMEOUT = 3.0
READ_TIMEOUT = 10.0
FIRST_DELAY, MAX_DELAY = 0.25, 5.0
PEOPLE_PER_CALL = 500
STATE_AFTER = {
    "lobby": "lobby",
    "open": "open",
    "resume": "open",
    "pause": "paused",
    "drain": "draining",
    "close": "closed",
}


class SiteUnreachable(Exception):
    """The site did not answer within the time for retries."""


class SiteRefused(Exception):
    """The site refused the call."""

    def __init__(self, status: int, code: str, message: str, fields: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.fields = status, code, message, fields


class SiteClient:
    """All calls but `create` may be repeated, so they are retried until there is an answer."""

    def __init__(
        self, url: str, token: str, *, unix_socket: str = "", retry_seconds: float = RETRY_SECONDS
    ) -> None:
        """`unix_socket` is the path at which a web process of the site listens."""
        self.url, self.token, self.retry_seconds = url.rstrip("/"), token, retry_seconds
        self.unix_socket = unix_socket
        self.code = ""
        self.is_clean = True
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "SiteClient":
        headers = {"Authorization": f"Bearer {self.token}", "Accept-Language": "en"}
        if self.unix_socket:
            headers |= forwarded(self.url, "127.0.0.1")
        timeout = aiohttp.ClientTimeout(total=CALL_TIMEOUT, sock_connect=10)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.UnixConnector(self.unix_socket) if self.unix_socket else None,
            headers=headers,
            timeout=timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._session:
            await self._session.close()

    # -- calls ------------------------------------------------------------------------------------

    async def create(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Start a rehearsal. Not retried: after a lost answer it may exist already."""
        setting = await self._call("POST", "", json=dict(options), retry_seconds=0)
        self.code, self.is_clean = str(setting["code"]), False
        return setting

    async def resume(self, code: str) -> dict[str, Any]:
        """Take over a rehearsal that was started elsewhere, for example in the admin."""
        self.code, self.is_clean = code, False
        return await self._call("GET", f"{code}/")

    async def make_people(
        self,
        fans: int,
        *,
        kinds: Mapping[str, Collection[int]] | None = None,
        per_call: int = PEOPLE_PER_CALL,
        rest: float = 0.0,
    ) -> list[dict[str, Any]]:
        """Make them, with a rest of so many times the length of a call after each."""
        people: list[dict[str, Any]] = []
        for first in range(0, fans, per_call):
            wanted, began = range(first, min(first + per_call, fans)), time.monotonic()
            body: dict[str, Any] = {"first": first, "count": len(wanted)}
            for name, kind in (kinds or {}).items():
                body[name] = [it for it in wanted if it in kind]
            people += (await self._call_rehearsal("POST", "people/", json=body))["people"]
            await asyncio.sleep(rest * (time.monotonic() - began))
        return people

    async def move(self, move: str) -> str:
        """Make a move; a conflict is fine if an earlier try, whose answer was lost, made it."""
        try:
            answer = await self._call_rehearsal("POST", "moves/", json={"move": move})
            return str(answer["state"])
        except SiteRefused as refusal:
            if refusal.status == 409 and (await self.state()) == STATE_AFTER[move]:
                return STATE_AFTER[move]
            raise

    async def state(self) -> str:
        return str((await self._call_rehearsal("GET", "snapshot/"))["state"])

    async def set_gateway_behaviour(self, *, failure_rate: float, latency: float) -> None:
        body = {"failure_rate": failure_rate, "latency": latency}
        await self._call_rehearsal("POST", "gateway/", json=body)

    async def snapshot(self) -> dict[str, Any]:
        """The sale at this moment. Not retried: the runner asks every second."""
        timeout = aiohttp.ClientTimeout(total=SNAPSHOT_TIMEOUT)
        return await self._call_rehearsal("GET", "snapshot/", retry_seconds=0, timeout=timeout)

    async def books(self, *, part: int, parts: int) -> dict[str, Any]:
        """Money and the owners of a part of the seats. Not retried: it is about this moment."""
        timeout = aiohttp.ClientTimeout(total=READ_TIMEOUT)
        params = {"part": str(part), "parts": str(parts)}
        return await self._call_rehearsal(
            "GET", "books/", retry_seconds=0, timeout=timeout, params=params
        )

    async def journal(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        more = True
        while more:
            after = entries[-1]["id"] if entries else 0
            page = await self._call_rehearsal("GET", "journal/", params={"after": str(after)})
            entries += page["entries"]
            more = page["more"] and bool(page["entries"])
        return entries

    async def facts(self) -> dict[str, Any]:
        return await self._call_rehearsal("GET", "facts/")

    async def upload_report(self, body: Mapping[str, Any]) -> None:
        await self._call_rehearsal("POST", "report/", json=dict(body))

    async def clean_up(self, code: str = "") -> dict[str, int]:
        """Delete the copy and its people, and return what is left of them."""
        answer = await self._call("DELETE", f"{code or self.code}/")
        self.is_clean = True
        return {name: int(left) for name, left in answer["left_behind"].items()}

    # -- HTTP -------------------------------------------------------------------------------------

    async def _call_rehearsal(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        return await self._call(method, f"{self.code}/{path}", **more)

    async def _call(
        self, method: str, path: str, *, retry_seconds: float | None = None, **more: Any
    ) -> dict[str, Any]:
        patience = self.retry_seconds if retry_seconds is None else retry_seconds
        give_up_at = time.monotonic() + patience
        for attempt in count():
            try:
                return await self._call_once(method, path, **more)
            except (SiteRefused, *LOST) as failure:
                if isinstance(failure, SiteRefused) and failure.status not in RETRY_STATUSES:
                    raise
                if time.monotonic() >= give_up_at:
                    raise SiteUnreachable(str(failure) or type(failure).__name__) from failure
            await asyncio.sleep(min(FIRST_DELAY * 2.0**attempt, MAX_DELAY))
        raise AssertionError("counting never ends")

    async def _call_once(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        if self._session is None:
            raise RuntimeError("use it in an `async with`")
        url = f"{self.url}/api/v1/rehearsals/{path}"
        async with self._session.request(method, url, **more) as response:
            body = await _json_object(response)
            if response.status >= 300:
                message = str(body.get("message", "")) or f"HTTP {response.status}"
                code, fields = str(body.get("code", "")), tuple(_fields(body.get("details")))
                raise SiteRefused(response.status, code, message, fields)
            return body


def forwarded(url: str, client: str) -> dict[str, str]:
    """The headers in which a proxy says how its client reached the site, and from where."""
    return {"X-Forwarded-Proto": urlsplit(url).scheme, "X-Forwarded-For": client}


async def _json_object(response: aiohttp.ClientResponse) -> dict[str, Any]:
    try:
        body = await response.json(content_type=None)
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {}


def _fields(details: Any) -> Iterator[str]:
    """The innermost names of the fields that were refused."""
    for name, inner in (details or {}).items() if isinstance(details, dict) else ():
        nested = [*_fields(inner)]
        yield from nested or ([] if name in ("message", "code") else [str(name)])
