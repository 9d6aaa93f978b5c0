from typing import Any

from django.conf import settings

from payments.gateways.base import Declined, Gateway, Page, Picture, Trouble, Unavailable, Unknown

SANDBOX = "/sandbox/portone"


def moves_no_money() -> bool:
    """Whether it is the sandbox that this site pays through."""
    address = settings.PORTONE_URL.rstrip("/")
    return settings.PAYMENTS_SANDBOX and settings.DEVELOPMENT and address.endswith(SANDBOX)


def load(**kwargs: Any) -> None:
    """Before the first fan pays, not while they wait."""
    gateway()


def gateway() -> Gateway:
    """The one that this site pays through. Its SDK takes seconds to load, and few processes pay."""
    from payments.gateways.portone import portone

    return portone()
