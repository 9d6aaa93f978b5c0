"""The stage API (docs/api.md), called by the director. Servers are killed meanwhile: it insists."""

import asyncio
from collections.abc import Iterator, Mapping
from itertools import count
from types import TracebackType
from typing import Any

import aiohttp

from ticketing.core import clock

LOST = (aiohttp.ClientError, OSError, asyncio.TimeoutError)
ASK_AGAIN = frozenset({429, 500, 502, 503, 504})
INSISTS = 120.0  # seconds through which an outage may last
ONE_CALL = 60.0
PAUSE, LONGEST_PAUSE = 0.25, 5.0
AT_ONCE = 500  # people made by one call
REACHED = {
    "lobby": "lobby",
    "open": "open",
    "resume": "open",
    "pause": "paused",
    "drain": "draining",
    "close": "closed",
}


class StageSilent(Exception):
    """The site did not answer for as long as anybody would wait."""


class StageRefused(Exception):
    """The site understood, and said no."""

    def __init__(self, status: int, code: str, message: str, fields: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.fields = status, code, message, fields


class Stage:
    """Everything but `create` may be said twice, so it is said until it is heard."""

    def __init__(self, url: str, token: str, *, insists: float = INSISTS) -> None:
        self.url, self.token, self.insists = url.rstrip("/"), token, insists
        self.code = ""
        self.is_clean = True
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Stage":
        headers = {"Authorization": f"Bearer {self.token}", "Accept-Language": "en"}
        timeout = aiohttp.ClientTimeout(total=ONE_CALL, sock_connect=10)
        self._session = aiohttp.ClientSession(
            headers=headers, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._session:
            await self._session.close()

    # -- what it can be told ----------------------------------------------------------------------

    async def create(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        """Not repeated: who was not heard out does not know whether it was done."""
        setting = await self._call("POST", "", json=dict(wish), insists=0)
        self.code, self.is_clean = str(setting["code"]), False
        return setting

    async def resume(self, code: str) -> dict[str, Any]:
        """A rehearsal that was made by somebody else, for us to direct."""
        self.code, self.is_clean = code, False
        return await self._call("GET", f"{code}/")

    async def people(self, fans: int) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for first in range(0, fans, AT_ONCE):
            wish = {"first": first, "count": min(AT_ONCE, fans - first)}
            made += (await self._here("POST", "people/", json=wish))["people"]
        return made

    async def move(self, move: str) -> str:
        """What was done by the call before, whose answer was lost, is done."""
        try:
            return str((await self._here("POST", "moves/", json={"move": move}))["state"])
        except StageRefused as refusal:
            if refusal.status == 409 and (await self.state()) == REACHED[move]:
                return REACHED[move]
            raise

    async def state(self) -> str:
        return str((await self._here("GET", "pulse/"))["state"])

    async def knobs(self, knobs: Mapping[str, Any]) -> dict[str, Any]:
        return await self._here("POST", "knobs/", json=dict(knobs))

    async def weather(self, *, failure_rate: float, latency: float) -> None:
        wish = {"failure_rate": failure_rate, "latency": latency}
        await self._here("POST", "weather/", json=wish)

    async def pulse(self) -> dict[str, Any]:
        """Asked every second, so once is enough."""
        return await self._here("GET", "pulse/", insists=0, timeout=aiohttp.ClientTimeout(total=3))

    async def journal(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        more = True
        while more:
            after = entries[-1]["id"] if entries else 0
            part = await self._here("GET", "journal/", params={"after": str(after)})
            entries += part["entries"]
            more = part["more"] and bool(part["entries"])
        return entries

    async def facts(self) -> dict[str, Any]:
        return await self._here("GET", "facts/")

    async def report(self, told: Mapping[str, Any]) -> None:
        await self._here("POST", "report/", json=dict(told))

    async def clean(self, code: str = "") -> dict[str, int]:
        """Deletes the copy and its people; says how much of them is left."""
        answer = await self._call("DELETE", f"{code or self.code}/")
        self.is_clean = True
        return {name: int(left) for name, left in answer["left_behind"].items()}

    # -- how it is told ---------------------------------------------------------------------------

    async def _here(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        return await self._call(method, f"{self.code}/{path}", **more)

    async def _call(
        self, method: str, path: str, *, insists: float | None = None, **more: Any
    ) -> dict[str, Any]:
        give_up_at = clock.monotonic() + (self.insists if insists is None else insists)
        for attempt in count():
            try:
                return await self._once(method, path, **more)
            except (StageRefused, *LOST) as failure:
                if isinstance(failure, StageRefused) and failure.status not in ASK_AGAIN:
                    raise
                if clock.monotonic() >= give_up_at:
                    raise StageSilent(_words(failure)) from failure
            await asyncio.sleep(min(PAUSE * 2.0**attempt, LONGEST_PAUSE))
        raise AssertionError("counting never ends")

    async def _once(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        if self._session is None:
            raise RuntimeError("use it in an `async with`")
        address = f"{self.url}/api/v1/rehearsals/{path}"
        async with self._session.request(method, address, **more) as answer:
            body = await _read(answer)
            if answer.status >= 300:
                said = str(body.get("message", "")) or f"HTTP {answer.status}"
                code, fields = str(body.get("code", "")), tuple(_fields(body.get("details")))
                raise StageRefused(answer.status, code, said, fields)
            return body


async def _read(answer: aiohttp.ClientResponse) -> dict[str, Any]:
    try:
        body = await answer.json(content_type=None)
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {}


def _fields(details: Any) -> Iterator[str]:
    """The names of what can't be used, the innermost of each."""
    for name, inner in (details or {}).items() if isinstance(details, dict) else ():
        found = [*_fields(inner)]
        yield from found or ([] if name in ("message", "code") else [str(name)])


def _words(failure: BaseException) -> str:
    return str(failure) or type(failure).__name__
