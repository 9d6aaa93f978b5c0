from typing import Any

from payments.gateways.base import Declined, Gateway, Picture, Trouble, Unavailable, Unknown

__all__ = [
    "Declined",
    "Gateway",
    "Picture",
    "Trouble",
    "Unavailable",
    "Unknown",
    "gateway",
    "load",
]


def load(**kwargs: Any) -> None:
    """Before the first fan pays, not while they wait."""
    gateway()


def gateway() -> Gateway:
    """The one that this site pays through. Its SDK takes seconds to load, and few processes pay."""
    from payments.gateways.portone import portone

    return portone()
