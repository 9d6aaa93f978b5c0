"""The sandbox sells tickets for nothing, so it works in development only."""

from typing import Any

from django.conf import settings
from django.core.checks import Error

from ticketing.core.errors import NotFound


def is_enabled() -> bool:
    return bool(settings.PAYMENTS_SANDBOX and settings.DEVELOPMENT)


def require_enabled() -> None:
    """A second check, in case a production site has the sandbox's URLs."""
    if not is_enabled():
        raise NotFound()


def check_not_in_production(**kwargs: Any) -> list[Error]:
    if not settings.PAYMENTS_SANDBOX or settings.DEVELOPMENT:
        return []
    return [
        Error(
            "The payment sandbox is switched on in production: everybody could pay with nothing.",
            hint="Unset PAYMENTS_SANDBOX and set the PORTONE_… knobs (docs/knobs.md).",
            id="sandbox.E001",
        )
    ]
