"""Public pages answered from rendered copies (docs/adr/0008-rendered-copies.md)."""

import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.cookie import parse_cookie
from django.middleware.csrf import CsrfViewMiddleware, get_token
from django.utils.html import escape

from ticketing.core.error_responses import OUTAGES
from ticketing.core.errors import DomainError
from ticketing.core.fast_path.application import FallThrough, Route, route
from ticketing.core.fast_path.copies import Copy
from ticketing.core.fast_path.page_copies import PageCopies, Variant
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import Header, PageResponse, language_of

ANYONE, MEMBER = "", "member"
# A cookie of another form is replaced, which is left to Django.
CSRF_COOKIE = re.compile(r"[a-zA-Z0-9]{32}")
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
        return route("(?:GET|HEAD)", self.path, partial(self.answer, copies), leaves_body=True)

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
    values["csrf"], cookie = _csrf_token(cookies)
    return [(b"set-cookie", cookie)]


def _csrf_token(cookies: Cookies) -> tuple[str, bytes]:
    """A form token for this browser, and the cookie that it belongs to, as Django makes them."""
    request, response = HttpRequest(), HttpResponse()
    request.COOKIES = cookies
    _csrf.process_request(request)
    token = get_token(request)
    _csrf.process_response(request, response)
    return token, response.cookies[settings.CSRF_COOKIE_NAME].OutputString().encode("latin-1")
