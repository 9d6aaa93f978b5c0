"""Challenges of others: Turnstile, hCaptcha. Asked in the event loop; no thread waits for them.

A form that a page's thread answers is checked before it gets that thread (`ProviderCheck`).
"""

import asyncio
import hashlib
import logging
import re
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs
from weakref import WeakKeyDictionary

from django.conf import settings

from ticketing.core import clock, event_loop
from ticketing.core.challenges import HARDEST, BadSolution, Solved

if TYPE_CHECKING:  # slow to load, and only a server process asks
    from aiohttp import ClientSession

log = logging.getLogger(__name__)
PREFIX = "provider:"
LONGEST_TOKEN = 4_096
# After a call without an answer our own proof of work is asked for instead, for so long.
PAUSE_SECONDS = 30.0
_sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, "ClientSession"] = WeakKeyDictionary()
_silent_until = 0.0
# Every way into a line that a thread answers: its page, its parties, its lanes.
LINE = re.compile(r"(?:/api/v1)?/events/[0-9]{1,18}/queue/.*")
_solved: ContextVar[Solved | None] = ContextVar("solved_by_provider", default=None)


@dataclass(frozen=True, slots=True)
class Provider:
    """A service that shows its own challenge, and says whether it was solved.

    The page loads `script`, which puts `name` with its method `render` into the window.
    """

    name: str
    verify_url: str
    script: str


PROVIDERS = {
    "turnstile": Provider(
        "turnstile",
        "https://challenges.cloudflare.com/turnstile/v0/siteverify",
        "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit",
    ),
    "hcaptcha": Provider(
        "hcaptcha",
        "https://api.hcaptcha.com/siteverify",
        "https://js.hcaptcha.com/1/api.js?render=explicit",
    ),
}


class ProviderSilent(Exception):
    """It did not answer: its outage must not stop a sale."""


def current_provider() -> Provider | None:
    """The one that is set and answers; None: our own proof of work."""
    return None if clock.monotonic() < _silent_until else PROVIDERS.get(settings.CHALLENGE)


def challenge_of(provider: Provider) -> dict[str, Any]:
    """What the page needs to show the provider's challenge."""
    return {
        "kind": provider.name,
        "script": provider.script,
        "site_key": settings.CHALLENGE_SITE_KEY,
    }


async def check_with(provider: Provider, solution: str, *, level: int) -> Solved:
    """Raises `BadSolution` if the provider refuses it."""
    from aiohttp import ClientError

    global _silent_until
    token = solution.removeprefix(PREFIX)
    if not 0 < len(token) <= LONGEST_TOKEN:
        raise BadSolution()
    fields = {"secret": settings.CHALLENGE_SECRET, "response": token}
    try:
        async with _session().post(provider.verify_url, data=fields) as response:
            answer = await response.json(content_type=None)
    except (ClientError, OSError, TimeoutError, ValueError) as outage:
        log.warning("%s does not answer: %s", provider.name, outage)
        _silent_until = clock.monotonic() + PAUSE_SECONDS
        raise ProviderSilent() from outage
    if not answer.get("success"):
        raise BadSolution()
    once = hashlib.sha256(token.encode()).hexdigest()[:32]
    return Solved(once, provider.name, level, 0)


def solved_by_provider() -> Solved | None:
    """What the request that is being answered has solved, as its provider said."""
    return _solved.get()


class ProviderCheck:
    """In front of the page threads: asks the provider about the solution that a request brings."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        message = await receive()  # the whole body: it was read before
        provider = current_provider() if scope["method"] == "POST" else None
        if provider and LINE.fullmatch(scope["path"]):
            with suppress(BadSolution, ProviderSilent):
                if solution := _solution_in(scope, message.get("body", b"")):
                    _solved.set(await check_with(provider, solution, level=HARDEST))

        async def receive_again() -> Any:
            return message

        await self.application(scope, receive_again, send)


def _solution_in(scope: Any, body: bytes) -> str:
    """The provider's solution in the header of a call or the field of a form; empty if none."""
    header = dict(scope["headers"]).get(b"challenge-solution", b"").decode("latin-1")
    if header.startswith(PREFIX):
        return header
    if b"solution=provider" not in body:
        return ""
    values = parse_qs(body.decode("latin-1")).get("solution", [""])
    return values[0] if values[0].startswith(PREFIX) else ""


def _session() -> "ClientSession":
    from aiohttp import ClientSession, ClientTimeout

    loop = asyncio.get_running_loop()
    if loop not in _sessions:
        timeout = ClientTimeout(total=settings.CHALLENGE_TIMEOUT)
        _sessions[loop] = ClientSession(timeout=timeout)
        event_loop.at_end(_sessions[loop].close)
    return _sessions[loop]
