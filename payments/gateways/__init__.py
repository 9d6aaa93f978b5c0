from django.conf import settings

from payments.gateways.base import Declined, Gateway, Picture, Trouble, Unavailable, Unknown
from payments.gateways.portone import portone

__all__ = [
    "Declined",
    "Gateway",
    "Picture",
    "Trouble",
    "Unavailable",
    "Unknown",
    "gateway",
    "moves_no_money",
]
SANDBOX = "/sandbox/portone"


def moves_no_money() -> bool:
    """Whether it is the sandbox that this site pays through."""
    address = settings.PORTONE_URL.rstrip("/")
    return settings.PAYMENTS_SANDBOX and settings.DEVELOPMENT and address.endswith(SANDBOX)


def gateway() -> Gateway:
    """The one that this site pays through."""
    return portone()
