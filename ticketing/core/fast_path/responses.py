"""Responses of the fast path: the same status, headers and bodies as Django's."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.http import HttpRequest
from django.http.cookie import parse_cookie
from django.utils import translation
from rest_framework.utils.encoders import JSONEncoder

from ticketing.core import errors
from ticketing.core.error_responses import API_CSP, OUTAGES, body, error_of, headers_of
from ticketing.core.fast_path.bodies import Receive
from ticketing.core.fast_path.requests import ApiRequest

log = logging.getLogger(__name__)

JSON, EVENT_STREAM = b"application/json", b"text/event-stream"
_encode = JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode

Send = Callable[[dict[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]


class ApiResponse(NamedTuple):
    """A status and a body: bytes are sent as they are, everything else as JSON."""

    status: int
    content: Any
    headers: Mapping[str, str] = {}


class PageResponse(NamedTuple):
    """A page with all of its headers, as a rendered copy has them."""

    status: int
    headers: list[Header]
    body: bytes


# A response that goes on: sends server-sent events until it returns.
StreamResponse = Callable[[Receive, Send], Awaitable[None]]
Response = ApiResponse | PageResponse | StreamResponse


async def send_response(
    request: ApiRequest, response: Response, receive: Receive, send: Send
) -> None:
    if isinstance(response, ApiResponse):
        await send_once(request.scheme, response, send)
    elif isinstance(response, PageResponse):
        status, headers, body = response
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if request.is_head else body})
    else:
        await response(receive, send)


async def send_once(scheme: str, response: ApiResponse, send: Send) -> None:
    status, content, more = response
    raw = content if isinstance(content, bytes) else to_json(content).encode()
    headers = [*_common_headers(_hsts_seconds(scheme)), (b"content-length", b"%d" % len(raw))]
    if more:
        own = [(name.lower().encode(), value.encode("latin-1")) for name, value in more.items()]
        names = {name for name, _ in own}
        headers = [*(header for header in headers if header[0] not in names), *own]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": raw})


async def send_stream(scheme: str, stream: StreamResponse, receive: Receive, send: Send) -> None:
    headers = [
        *_common_headers(_hsts_seconds(scheme), EVENT_STREAM),
        (b"x-accel-buffering", b"no"),  # proxies pass every event on at once
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": True})  # the head, at once
    await stream(receive, send)
    await send({"type": "http.response.body", "body": b""})


def error_response(request: ApiRequest, exception: Exception) -> ApiResponse:
    """As Django answers it (`error_responses`), in the language of the reader."""
    error = error_of(exception)
    if isinstance(exception, OUTAGES):
        log.error("%s %s: %s", request.method, request.path, exception)
    elif isinstance(error, errors.Broken):
        log.error("%s %s", request.method, request.path, exc_info=exception)
    language = language_of(request.headers)
    headers = headers_of(error) | {"Content-Language": language, "Vary": "Accept-Language"}
    if error.status == 413:
        headers["Connection"] = "close"  # the rest of the body is not read
    return ApiResponse(error.status, body(error, _message(error, language)), headers)


def _message(error: errors.DomainError, language: str) -> str:
    """Most messages are the same for everybody, and a crowd is refused with few of them."""
    kind: Any = type(error)  # mypy takes the class of an exception for unhashable
    text = _translated(kind, language)
    if "%" not in text:
        return text
    with translation.override(language):
        return str(error)


@lru_cache(maxsize=1_024)
def _translated(kind: type[errors.DomainError], language: str) -> str:
    with translation.override(language):
        return str(kind.message)


def language_of(headers: Mapping[str, str], cookies: dict[str, str] | None = None) -> str:
    """As Django's `LocaleMiddleware` chooses it; `cookies` if they are parsed already."""
    name, sent = settings.LANGUAGE_COOKIE_NAME, headers.get("cookie", "")
    if cookies is None:
        cookies = parse_cookie(sent) if name in sent else {}
    return _language(cookies.get(name), headers.get("accept-language", ""))


@lru_cache(maxsize=1_024)
def _language(chosen: str | None, accepted: str) -> str:
    """Browsers send few different ones, and Django takes longer than the rest of a refusal."""
    cookies = {} if chosen is None else {settings.LANGUAGE_COOKIE_NAME: chosen}
    request = SimpleNamespace(COOKIES=cookies, META={"HTTP_ACCEPT_LANGUAGE": accepted})
    return translation.get_language_from_request(cast(HttpRequest, request))


def to_json(content: Any) -> str:
    """Byte for byte what REST framework's renderer writes."""
    text = _encode(content)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _hsts_seconds(scheme: str) -> int:
    return settings.SECURE_HSTS_SECONDS if scheme == "https" else 0


@lru_cache
def _common_headers(hsts_seconds: int, content_type: bytes = JSON) -> list[Header]:
    headers = [
        (b"content-type", content_type),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", settings.X_FRAME_OPTIONS.encode()),
        (b"referrer-policy", settings.SECURE_REFERRER_POLICY.encode()),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"permissions-policy", settings.PERMISSIONS_POLICY.encode()),
        (b"content-security-policy", API_CSP.encode()),
    ]
    if hsts_seconds:
        subdomains = "; includeSubDomains" if settings.SECURE_HSTS_INCLUDE_SUBDOMAINS else ""
        preload = "; preload" if settings.SECURE_HSTS_PRELOAD else ""
        hsts = f"max-age={hsts_seconds}{subdomains}{preload}"
        headers.append((b"strict-transport-security", hsts.encode()))
    return headers
