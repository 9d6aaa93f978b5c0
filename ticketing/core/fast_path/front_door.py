"""The first thing that every request meets: refuses it early, or notes when it arrived."""

import base64
import hashlib
import re
from functools import lru_cache
from random import randint
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation

from ticketing.core import clock
from ticketing.core.errors import Overloaded
from ticketing.core.fast_path.requests import ApiRequest, headers_of_scope
from ticketing.core.fast_path.responses import (
    ApiResponse,
    error_response,
    language_of,
    send_once,
)
from ticketing.core.metrics.machine import REFUSED
from ticketing.core.overload import Overload, is_refused, overload

# Seconds until a refused client comes back: not all at the same moment.
SOONEST, LATEST = 2, 6
HTML = "text/html; charset=utf-8"
STYLE = re.compile(rb"<style>(.*?)</style>", re.DOTALL)
ARRIVED = b"x-request-start"  # as proxies call it; in milliseconds


class FrontDoor:
    """While the event loop is late, whoever is not in yet is asked to come back."""

    def __init__(self, application: Any, state: Overload = overload) -> None:
        self.application, self.state = application, state

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.state.is_late and is_refused(scope):
            REFUSED.labels("front").inc()
            await send_once(scope["scheme"], refusal(scope), send)
            return
        if scope["path"].endswith("/claim/"):
            scope = self._with_arrival(scope)
        await self.application(scope, receive, send)

    def _with_arrival(self, scope: Any) -> Any:
        """A request may have waited for as long as the event loop was late."""
        arrived = clock.now().timestamp() - max(self.state.lag, self.state.last_lag)
        headers = [header for header in scope["headers"] if header[0] != ARRIVED]
        return scope | {"headers": [*headers, (ARRIVED, b"%d" % (1000 * arrived))]}


class PageDoor:
    """In front of the page threads: asks to come back while too many pages wait for one."""

    def __init__(self, application: Any, state: Overload = overload) -> None:
        self.application, self.state = application, state

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.state.is_on and is_refused(scope):
            REFUSED.labels("pages").inc()
            await send_once(scope["scheme"], refusal(scope), send)
            return
        await self.application(scope, receive, send)


def refusal(scope: Any) -> ApiResponse:
    """The error as JSON for programs; for people a small page that tries again by itself."""
    headers, seconds = headers_of_scope(scope), randint(SOONEST, LATEST)  # noqa: S311
    if scope["path"].startswith("/api/") or "text/html" not in headers.get("accept", ""):
        request = ApiRequest(scope["method"], scope["path"], scope["scheme"], "", headers, {})
        return error_response(request, Overloaded(retry_after=seconds))
    language = language_of(headers)
    page, style_hash = _page(language)
    own = {
        "Content-Type": HTML,
        "Content-Language": language,
        "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{style_hash}'",
        "Retry-After": str(seconds),
        "Vary": "Accept-Language, Cookie",
    }
    return ApiResponse(503, page.replace(b"SECONDS", b"%d" % seconds), own)


@lru_cache
def _page(language: str) -> tuple[bytes, str]:
    """The page in this language, and the hash by which its style is allowed."""
    with translation.override(language):
        page = render_to_string("errors/overloaded.html", {"language": language}).encode()
    style = STYLE.search(page)
    digest = hashlib.sha256(style[1] if style else b"").digest()
    return page, base64.b64encode(digest).decode()


def waited_ms(headers: Any, now_ms: int) -> int:
    """How long ago a request arrived, by the header that the front door sets."""
    arrived = headers.get(ARRIVED.decode(), "")
    return max(now_ms - int(arrived), 0) if arrived.isdecimal() and len(arrived) < 18 else 0
