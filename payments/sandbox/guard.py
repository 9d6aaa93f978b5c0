"""The sandbox gives tickets away: it is only there where nobody sells."""

from typing import Any

from django.conf import settings
from django.core.checks import Error

from ticketing.core.errors import NotFound


def is_at_home() -> bool:
    return bool(settings.PAYMENTS_SANDBOX and settings.DEVELOPMENT)


def require_home() -> None:
    """The last door, should a production site ever have these addresses."""
    if not is_at_home():
        raise NotFound()


def check_the_place(**kwargs: Any) -> list[Error]:
    if not settings.PAYMENTS_SANDBOX or settings.DEVELOPMENT:
        return []
    return [
        Error(
            "The payment sandbox is switched on in production: everybody could pay with nothing.",
            hint="Unset PAYMENTS_SANDBOX and set the PORTONE_… knobs (docs/knobs.md).",
            id="sandbox.E001",
        )
    ]
