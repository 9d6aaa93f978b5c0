"""What the first page says about the demo."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from ticketing.development.log_ins import FANS, OPERATOR, PASSWORD


def demo(request: HttpRequest) -> dict[str, Any]:
    """`demo`: who can log in, and whether paying is pretended. Only in development."""
    if not settings.DEVELOPMENT:
        return {}
    people = {"fans": list(FANS), "operator": OPERATOR, "password": PASSWORD}
    return {"demo": people | {"sandbox": settings.PAYMENTS_SANDBOX}}
