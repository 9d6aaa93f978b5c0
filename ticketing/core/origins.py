"""From which site a browser was sent. Replaces CSRF tokens for calls without a form."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.http import is_same_domain

from ticketing.core.errors import ForeignOrigin

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def require_own_origin(headers: Mapping[str, str], *, own: str) -> None:
    """Refuse what another site made a browser send. Pages can't forge these headers."""
    origin = headers.get("origin")
    if origin is None:
        if headers.get("sec-fetch-site") == "same-origin":
            return
        origin = _origin_of(headers.get("referer", ""))
    if origin != own and not _is_trusted(origin):
        raise ForeignOrigin()


def _origin_of(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


def _is_trusted(origin: str) -> bool:
    """`https://*.example.com` trusts the domains below example.com, as it does in Django."""
    scheme, _, host = origin.partition("://")
    for trusted in settings.CSRF_TRUSTED_ORIGINS:
        trusted_scheme, _, pattern = trusted.partition("://")
        if scheme == trusted_scheme and is_same_domain(host, pattern.removeprefix("*")):
            return True
    return False
