"""What distinguishes the browsers of a person: a random cookie, or a program's bearer token.

Only its mark, a short hash, is kept and compared; the cookie itself says nothing about anybody.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe

from django.conf import settings
from django.http import HttpResponse
from django.http.cookie import parse_cookie

COOKIE_VALUE = re.compile(r"[-\w]{22}", re.ASCII)
COOKIE_BYTES, MARK_BYTES = 16, 9
COOKIE_SECONDS = 180 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Browser:
    """`new_cookie` is to be set in the answer: the browser came without one."""

    mark: str
    new_cookie: str = ""

    @property
    def known_mark(self) -> str:
        """Empty for a new browser: whether it keeps its cookie is known with its next request."""
        return "" if self.new_cookie else self.mark

    @property
    def headers(self) -> dict[str, str]:
        """What the answer of an API call says to a new browser."""
        return {"Set-Cookie": _cookie(self.new_cookie)} if self.new_cookie else {}

    def remember(self, response: HttpResponse) -> HttpResponse:
        """The same for a page."""
        if self.new_cookie:
            response.cookies.load(_cookie(self.new_cookie))
        return response


def browser_of(headers: Mapping[str, str]) -> Browser:
    """By its cookie; without one by its bearer token; otherwise it is new."""
    cookies = headers.get("cookie", "")
    if settings.BROWSER_COOKIE_NAME in cookies:
        found = parse_cookie(cookies).get(settings.BROWSER_COOKIE_NAME, "")
        if COOKIE_VALUE.fullmatch(found):
            return Browser(_mark(found))
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return Browser(_mark(secret.strip()))
    cookie = token_urlsafe(COOKIE_BYTES)
    return Browser(_mark(cookie), cookie)


def _mark(secret: str) -> str:
    digest = sha256(f"browser:{secret}".encode()).digest()
    return urlsafe_b64encode(digest[:MARK_BYTES]).decode()


def _cookie(value: str) -> str:
    """Not for scripts; lax, so that links from other sites lead to the same browser."""
    secure = "; Secure" if settings.SESSION_COOKIE_SECURE else ""
    lasting = f"Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Lax{secure}"
    return f"{settings.BROWSER_COOKIE_NAME}={value}; {lasting}"
