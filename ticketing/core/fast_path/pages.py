"""Public pages answered from rendered copies (docs/adr/0008-rendered-copies.md)."""

import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.cookie import parse_cookie
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH, CsrfViewMiddleware
from django.utils.crypto import get_random_string
from django.utils.html import escape

from ticketing.core import clock
from ticketing.core.error_responses import OUTAGES
from ticketing.core.errors import DomainError
from ticketing.core.fast_path.application import READS, FallThrough, Route, route
from ticketing.core.fast_path.copies import Copy
from ticketing.core.fast_path.page_copies import PageCopies, Variant
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import Header, PageResponse, language_of
from ticketing.core.latency import page_latency

ANYONE, MEMBER = "", "member"
# A cookie of another form is replaced, which is left to Django.
CSRF_COOKIE = re.compile(r"[a-zA-Z0-9]{32}")
# A byte below this is a letter with the same probability as any other.
USABLE = 256 - 256 % len(CSRF_ALLOWED_CHARS)
PLACES = {letter: place for place, letter in enumerate(CSRF_ALLOWED_CHARS)}
ACCEPTS_GZIP = re.compile(r"\bgzip\b")  # as Django's GZipMiddleware decides it

Cookies = dict[str, str]
GetCopy = Callable[[str], Awaitable[Copy]]
# The copy for somebody who is logged in, and their values for the marks that only this page has.
Personal = Callable[[ApiRequest, Any, GetCopy], Awaitable[tuple[Copy, dict[str, str]]]]
_csrf = CsrfViewMiddleware(lambda request: HttpResponse())


async def same_for_members(
    request: ApiRequest, caller: Any, get: GetCopy
) -> tuple[Copy, dict[str, str]]:
    """For pages on which only the header differs between two people who are logged in."""
    return await get(MEMBER), {}


@dataclass(kw_only=True, eq=False)
class Page:
    """A page that everybody may see, and that is nearly the same for all of them.

    Whatever is unusual about a request falls through to the view: an unknown query string, a body,
    a waiting message, an error on the way.
    """

    path: str  # as in a URLconf
    # Who is logged in; raises `FallThrough` for those who see more than others do.
    identify: Callable[[Cookies], Awaitable[Any]] | None = None
    personal: Personal = same_for_members
    queries: frozenset[str] = frozenset({""})
    seconds: float = 1.0  # how old a copy may be

    def route(self, copies: PageCopies) -> Route:
        return route(READS, self.path, partial(self.timed_answer, copies), leaves_body=True)

    async def timed_answer(self, copies: PageCopies, request: ApiRequest) -> PageResponse:
        """One that falls through is timed where it is rendered."""
        began = clock.monotonic()
        response = await self.answer(copies, request)
        if not request.is_head:
            page_latency.add_copy(began)
        return response

    async def answer(self, copies: PageCopies, request: ApiRequest) -> PageResponse:
        headers = request.headers
        if request.query not in self.queries or _has_body(headers):
            raise FallThrough()
        cookies = parse_cookie(headers["cookie"]) if "cookie" in headers else {}
        if not CSRF_COOKIE.fullmatch(cookies.get(settings.CSRF_COOKIE_NAME, "a" * 32)):
            raise FallThrough()
        request.language = language_of(headers, cookies)
        get = partial(self._copy, copies, request)
        compressed = bool(ACCEPTS_GZIP.search(headers.get("accept-encoding", "")))
        try:
            caller = await self.identify(cookies) if self.identify else None
            if caller is None:
                copy = await get(ANYONE)
                return copy.shared(compressed=compressed, known=headers.get("if-none-match", ""))
            copy, values = await self.personal(request, caller, get)
        except (DomainError, *OUTAGES):
            raise FallThrough() from None
        more = _own_values(copy, caller, cookies, values)
        return copy.filled(values, compressed=compressed, more=more)

    async def _copy(self, copies: PageCopies, request: ApiRequest, name: str) -> Copy:
        is_secure = request.scheme == "https"
        variant = Variant(request.path, request.query, name, request.language, is_secure)
        copy = await copies.get(variant, self.seconds)
        if copy.status != 200 and "text/html" not in request.headers.get("accept", ""):
            raise FallThrough()  # errors are a page for people and JSON for programs
        return copy


def _has_body(headers: Any) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _own_values(copy: Copy, caller: Any, cookies: Cookies, values: dict[str, str]) -> list[Header]:
    """Adds the values that any page may have marks for; returns the headers that go with them."""
    values["name"] = escape(caller.name)
    values["key"] = secrets.token_urlsafe(12)
    if "csrf" not in copy.names:
        return []
    values["csrf"], cookie = csrf_token(cookies)
    return [(b"set-cookie", cookie)]


def csrf_token(cookies: Cookies) -> tuple[str, bytes]:
    """A form token for this browser, and the cookie that it belongs to, as Django makes them."""
    name = settings.CSRF_COOKIE_NAME
    secret = cookies.get(name) or get_random_string(CSRF_SECRET_LENGTH, CSRF_ALLOWED_CHARS)
    options = (settings.CSRF_COOKIE_SECURE, settings.CSRF_COOKIE_SAMESITE)
    more = _cookie_options(int(clock.monotonic()), name, *options)
    return masked(secret), f"{name}={secret}{more}".encode("latin-1")


def masked(secret: str) -> str:
    """The secret as a form sends it, different each time; a sixth of what Django's own takes."""
    mask = bytes(each for each in secrets.token_bytes(64) if each < USABLE)[:CSRF_SECRET_LENGTH]
    if len(mask) < CSRF_SECRET_LENGTH:  # too many bytes were unusable
        return masked(secret)
    size, letters = len(CSRF_ALLOWED_CHARS), CSRF_ALLOWED_CHARS
    sums = [letters[(PLACES[one] + other) % size] for one, other in zip(secret, mask, strict=True)]
    return "".join([letters[each % size] for each in mask] + sums)


@lru_cache(maxsize=4)
def _cookie_options(second: int, name: str, *options: Any) -> str:
    """Of Django's cookie, behind its value; the same for a second."""
    request, response = HttpRequest(), HttpResponse()
    request.META |= {"CSRF_COOKIE": "x", "CSRF_COOKIE_NEEDS_UPDATE": True}
    _csrf.process_response(request, response)
    return response.cookies[name].OutputString().partition("=x")[2]
