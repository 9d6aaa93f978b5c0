"""A lean way through the server, for the few calls that a whole crowd makes at once.

They are answered in the event loop, without Django's handlers and threads. It takes only what it
fully understands: whatever is out of the ordinary (an unknown host, plain HTTP where TLS is asked
for, another method) goes on to Django, where the same calls are ordinary views.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from re import Pattern
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.http import HttpRequest
from django.http.cookie import parse_cookie
from django.http.request import split_domain_port, validate_host
from django.utils import translation

from ticketing.core import errors
from ticketing.core.error_responses import OUTAGES, body, error_of

log = logging.getLogger(__name__)

LARGEST_BODY = 1024
CHALLENGE = b'Bearer realm="api"'
JSON, EVENTS = b"application/json", b"text/event-stream"
as_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=str).encode

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    path: str
    scheme: str
    headers: Mapping[str, str]
    parts: Mapping[str, str]
    query: bytes
    body: bytes | None = None

    @property
    def own_origin(self) -> str:
        return f"{self.scheme}://{self.headers['host']}"


# An answer that goes on: sends events until it returns.
Stream = Callable[[Receive, Send], Awaitable[None]]
Handler = Callable[[Call], Awaitable[tuple[int, Any]]]


class FallThrough(Exception):
    """Raised by a handler for what it leaves to Django after all."""


class Ready(NamedTuple):
    """A body as it is, with headers of its own."""

    raw: bytes
    headers: list[Header]


class Route(NamedTuple):
    """What `METHOD /path` must look like, and who answers it with a status and a body (bytes: JSON
    already) or a stream."""

    pattern: Pattern[str]
    handler: Handler
    reads_body: bool = False


class FastPath:
    """An ASGI application in front of another one."""

    def __init__(self, routes: Sequence[Route], otherwise: Any) -> None:
        self.routes, self.otherwise = routes, otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wanted = f"{scope['method']} {scope['path']}"
        for route in self.routes:
            match = route.pattern.fullmatch(wanted)
            if match and (call := understood(scope, match.groupdict())):
                if route.reads_body:
                    call, receive = await with_body(call, receive)
                if await answer(call, route, receive, send):
                    return
        await self.otherwise(scope, receive, send)


def understood(scope: Scope, parts: dict[str, Any]) -> Call | None:
    headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
    scheme = scope["scheme"]
    if scheme != "https" and settings.SECURE_SSL_REDIRECT:
        return None
    if not is_ours(headers.get("host", ""), tuple(settings.ALLOWED_HOSTS)):
        return None
    return Call(scope["method"], scope["path"], scheme, headers, parts, scope["query_string"])


@lru_cache(maxsize=256)
def is_ours(host: str, ours: tuple[str, ...]) -> bool:
    domain, _port = split_domain_port(host)
    return bool(domain) and validate_host(domain, ours)


async def with_body(call: Call, receive: Receive) -> tuple[Call, Receive]:
    """The body, if it is small, and a way to receive it once more, should Django have to answer."""
    if "transfer-encoding" in call.headers or not is_small(call.headers):
        return call, receive
    heard = [await receive()]
    while heard[-1].get("more_body"):
        heard.append(await receive())
    untold = iter(heard)

    async def again() -> dict[str, Any]:
        return next(untold, None) or await receive()

    return replace(call, body=b"".join(part.get("body", b"") for part in heard)), again


async def answer(call: Call, route: Route, receive: Receive, send: Send) -> bool:
    """Whether it was for us to answer."""
    try:
        if not route.reads_body:
            await pass_over_body(call, receive)
        status, content = await route.handler(call)
        more: list[Header] = []
        if isinstance(content, Ready):
            content, more = content
    except FallThrough:
        return False
    except Exception as exception:
        status, content, more = refusal(call, exception)
    if callable(content):
        await respond_on_and_on(receive, send, call.scheme, content)
    else:
        await respond(send, call.scheme, status, content, more)
    return True


async def pass_over_body(call: Call, receive: Receive) -> None:
    require_small(call.headers)
    if "transfer-encoding" in call.headers:
        await read_little(receive)


def is_small(headers: Mapping[str, str]) -> bool:
    length = headers.get("content-length", "0")
    return length.isdigit() and len(length) < 10 and int(length) <= LARGEST_BODY


def require_small(headers: Mapping[str, str]) -> None:
    """These calls take no body; a small one is ignored."""
    if not is_small(headers):
        raise errors.TooLarge()


async def read_little(receive: Receive) -> None:
    """A body whose length isn't told beforehand."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
        if size > LARGEST_BODY:
            raise errors.TooLarge()


def refusal(call: Call, exception: Exception) -> tuple[int, Any, list[Header]]:
    """The same answers as everywhere else (`error_responses`)."""
    error = error_of(exception)
    if isinstance(exception, OUTAGES):
        log.error("%s %s: %s", call.method, call.path, exception)
    elif isinstance(error, errors.Broken):
        log.error("%s %s", call.method, call.path, exc_info=exception)
    more: list[Header] = []
    if error.retry_after is not None:
        more.append((b"retry-after", str(error.retry_after).encode()))
    if error.status == 401:
        more.append((b"www-authenticate", CHALLENGE))
    if error.status == 413:
        more.append((b"connection", b"close"))  # the rest of the body is not read
    with translation.override(language_of(call.headers)):
        return error.status, body(error), more


def language_of(headers: Mapping[str, str]) -> str:
    cookies = parse_cookie(headers.get("cookie", ""))
    meta = {"HTTP_ACCEPT_LANGUAGE": headers.get("accept-language", "")}
    asked = SimpleNamespace(COOKIES=cookies, META=meta)
    return translation.get_language_from_request(cast(HttpRequest, asked))


async def respond(send: Send, scheme: str, status: int, content: Any, more: list[Header]) -> None:
    raw = content if isinstance(content, bytes) else as_json(content).encode()
    headers = [
        *headers_of_all(scheme == "https" and settings.SECURE_HSTS_SECONDS),
        (b"content-length", b"%d" % len(raw)),
    ]
    if more:
        named = {name for name, _ in more}
        headers = [*(header for header in headers if header[0] not in named), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": raw})


async def respond_on_and_on(receive: Receive, send: Send, scheme: str, stream: Stream) -> None:
    headers = [
        *headers_of_all(scheme == "https" and settings.SECURE_HSTS_SECONDS, EVENTS),
        (b"x-accel-buffering", b"no"),  # proxies pass every event on at once
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await stream(receive, send)
    await send({"type": "http.response.body", "body": b""})


@lru_cache
def headers_of_all(hsts_seconds: int, content_type: bytes = JSON) -> list[Header]:
    headers = [
        (b"content-type", content_type),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", settings.X_FRAME_OPTIONS.encode()),
        (b"referrer-policy", settings.SECURE_REFERRER_POLICY.encode()),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    ]
    if hsts_seconds:
        headers.append((b"strict-transport-security", hsts(hsts_seconds).encode()))
    return headers


def hsts(seconds: int) -> str:
    below = "; includeSubDomains" if settings.SECURE_HSTS_INCLUDE_SUBDOMAINS else ""
    preload = "; preload" if settings.SECURE_HSTS_PRELOAD else ""
    return f"max-age={seconds}{below}{preload}"
