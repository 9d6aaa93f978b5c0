"""What every page's template may ask for."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from ticketing.accounts.selectors import caller_in


def caller(request: HttpRequest) -> dict[str, Any]:
    """`caller`: who is logged in, or nobody. Read from the session, only when asked: no SQL."""
    return {"caller": SimpleLazyObject(lambda: caller_in(getattr(request, "session", {})))}
