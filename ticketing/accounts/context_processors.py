"""What every page's template may ask for."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from ticketing.accounts.selectors import caller_in


def caller(request: HttpRequest) -> dict[str, Any]:
    """`caller`: who is logged in, or nobody. Read from the session, only when asked: no SQL."""
    return {"caller": SimpleLazyObject(lambda: caller_in(getattr(request, "session", {})))}


def place(request: HttpRequest) -> dict[str, Any]:
    """`is_development`: whether this is the default run, whose mails can be read on a page."""
    return {"is_development": settings.DEVELOPMENT}
