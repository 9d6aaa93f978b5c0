"""Variables available in every template."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from ticketing.accounts.selectors import page_caller
from ticketing.core.fast_path.marks import marks_of


def caller(request: HttpRequest) -> dict[str, Any]:
    """`caller`: who is logged in, or None. Read from the session on first use, without SQL."""
    found: dict[str, Any] = {"caller": SimpleLazyObject(lambda: page_caller(request))}
    if marks := marks_of(request):  # a copy holds nobody's form token
        found["csrf_token"] = marks.mark("csrf")
    return found


def development_mode(request: HttpRequest) -> dict[str, Any]:
    """`is_development`: whether mails can be read at /dev/mails/."""
    return {"is_development": settings.DEVELOPMENT}
