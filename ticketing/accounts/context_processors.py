"""Variables available in every template."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from ticketing.accounts.selectors import caller_in


def caller(request: HttpRequest) -> dict[str, Any]:
    """`caller`: who is logged in, or None. Read from the session on first use, without SQL."""
    return {"caller": SimpleLazyObject(lambda: caller_in(getattr(request, "session", {})))}


def development_mode(request: HttpRequest) -> dict[str, Any]:
    """`is_development`: whether mails can be read at /dev/mails/."""
    return {"is_development": settings.DEVELOPMENT}
