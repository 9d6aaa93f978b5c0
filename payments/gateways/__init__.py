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
]


def gateway() -> Gateway:
    """The one that this site pays through."""
    return portone()
