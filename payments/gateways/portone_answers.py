"""What answers and exceptions of PortOne's SDK mean: payments, and the three GatewayErrors."""

import logging
from typing import Any

import httpx
from portone_server_sdk import errors as sdk
from portone_server_sdk import payment as kinds

from payments.gateways.base import (
    Declined,
    GatewayError,
    GatewayPayment,
    GatewayUnavailable,
    OutcomeUnknown,
)

log = logging.getLogger(__name__)

REFUSALS = (
    sdk.PgProviderError,
    sdk.InvalidPaymentTokenError,
    sdk.InformationMismatchError,
    sdk.InvalidRequestError,
    sdk.PaymentNotFoundError,
    sdk.PaymentNotPaidError,
    sdk.CancelAmountExceedsCancellableAmountError,
    sdk.CancellableAmountConsistencyBrokenError,
    sdk.PaymentAlreadyCancelledError,
)
# With a wrong API secret no call is carried out.
NOT_AUTHORIZED = (sdk.UnauthorizedError, sdk.ForbiddenError)
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
STATUSES: dict[type, str] = {
    kinds.ReadyPayment: "unpaid",
    kinds.PayPendingPayment: "pending",
    kinds.VirtualAccountIssuedPayment: "pending",
    kinds.PaidPayment: "paid",
    kinds.PartialCancelledPayment: "paid",
    kinds.CancelledPayment: "cancelled",
    kinds.FailedPayment: "failed",
}


def gateway_error(exception: Exception) -> GatewayError:
    """Which GatewayError an exception is: unknown, unless it is certain that nothing was done."""
    code = type(exception).__name__
    match exception:
        case sdk.PgProviderError():
            return Declined(exception.pg_code or code, exception.pg_message or "")
        case _ if isinstance(exception, REFUSALS):
            return Declined(code, getattr(exception, "message", None) or "")
        case _ if isinstance(exception, NOT_AUTHORIZED):
            log.error("PortOne rejects our API secret: %s", code)
            return GatewayUnavailable(code, getattr(exception, "message", None) or "")
        case _ if isinstance(exception, NEVER_SENT):
            return GatewayUnavailable(code, str(exception))
    log.warning("PortOne gave no usable answer: %s %s", code, exception)
    return OutcomeUnknown(code, str(exception))


def gateway_payment(found: Any) -> GatewayPayment:
    """The SDK's payment as ours."""
    if type(found) not in STATUSES:
        raise OutcomeUnknown("odd_payment", type(found).__name__)
    failure = getattr(found, "failure", None)
    message = getattr(failure, "pg_message", None) or getattr(failure, "reason", None) or ""
    cancellations = getattr(found, "cancellations", None) or []
    pending = kinds.RequestedPaymentCancellation
    return GatewayPayment(
        STATUSES[type(found)],
        amount=found.amount.total,
        currency=found.currency,
        refunded=found.amount.cancelled,
        is_refund_pending=any(isinstance(one, pending) for one in cancellations),
        is_test=found.channel is None or found.channel.type != "LIVE",
        transaction_id=found.transaction_id,
        failure_code=(getattr(failure, "pg_code", None) or "")[:100],
        failure_message=message[:300],
    )
