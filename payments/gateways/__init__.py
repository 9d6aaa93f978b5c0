from typing import Any

from payments.gateways.base import (
    BREAKER_OPEN,
    Declined,
    Gateway,
    GatewayError,
    GatewayIdentity,
    GatewayPayment,
    GatewayUnavailable,
    OutcomeUnknown,
    PaymentPage,
)


def gateway() -> Gateway:
    """The gateway of this site, for the running event loop.

    Its SDK takes seconds to load, so it is imported on first use.
    """
    from payments.gateways.portone import portone

    return portone()


def preload(**kwargs: Any) -> None:
    """Load the SDK when the server starts, so that no fan waits for it."""
    from payments.gateways.portone import sdk_client

    sdk_client()
