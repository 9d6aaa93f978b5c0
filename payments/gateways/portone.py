"""PortOne V2 through its official SDK, with our own timeouts and idempotency keys.

The SDK has one fixed timeout and no idempotency parameter; a hook of its HTTP client puts both on
each request. Every exception of the SDK is turned into one of three GatewayErrors here.
"""

import logging
from collections.abc import Callable
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from time import sleep
from typing import Any

import httpx
from django.conf import settings
from portone_server_sdk import errors as sdk
from portone_server_sdk import payment as kinds

from payments import store
from payments.gateways.base import (
    UNPAID,
    Declined,
    GatewayError,
    GatewayPayment,
    GatewayUnavailable,
    OutcomeUnknown,
    PaymentPage,
)
from ticketing.core import clock

log = logging.getLogger(__name__)
# Timeout in seconds and idempotency key of the request that this thread is making.
_request_options: ContextVar[tuple[float, str]] = ContextVar("request_options")
NAME = "portone"
CONNECT_SECONDS = 3.0
PAGE_SIZE = 100
OUTSTANDING, FIRST_PAUSE, LONGEST_PAUSE = "IDEMPOTENCY_OUTSTANDING_REQUEST", 0.1, 2.0

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
# A wrong API secret: the call was not carried out.
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


class PortOne:
    def __init__(self, *, url: str, secret: str, store_id: str, charges_by_server: bool) -> None:
        self.charges_by_server = charges_by_server
        self.store_id = store_id
        self.client = kinds.PaymentClient(secret=secret, base_url=url, store_id=store_id or None)
        self.client._sync_client = httpx.Client(event_hooks={"request": [_apply_request_options]})

    def prepare(self, *, number: str, amount: int, currency: str, timeout: float) -> None:
        """Register the amount, so that the payer's browser can't change it."""

        def call() -> Any:
            return self.client.pre_register_payment(
                payment_id=number, total_amount=amount, currency=currency
            )

        def call_until_free() -> Any:
            return _retry_while_outstanding(call, timeout)

        self._call(call_until_free, timeout, f"prepare-{number}", ignored=sdk.AlreadyPaidError)

    def charge(
        self, *, number: str, token: str, amount: int, currency: str, timeout: float
    ) -> None:
        def call() -> Any:
            return self.client.confirm_payment(
                payment_id=number, payment_token=token, total_amount=amount, currency=currency
            )

        self._call(call, timeout, f"charge-{number}", ignored=sdk.AlreadyPaidError)

    def fetch(self, *, number: str, timeout: float) -> GatewayPayment:
        found = self._call(
            lambda: self.client.get_payment(payment_id=number),
            timeout,
            ignored=sdk.PaymentNotFoundError,
        )
        return UNPAID if found is None else _gateway_payment(found)

    def list_payments(
        self, *, since: datetime, until: datetime, page: int, timeout: float
    ) -> PaymentPage:
        """In the order in which they were begun, so that pages don't shift while they are read."""
        order = {"sortBy": "REQUESTED_AT", "sortOrder": "ASC", "timestampType": "CREATED_AT"}
        span = {"from": since.isoformat(), "until": until.isoformat()}
        store_id = {"storeId": self.store_id} if self.store_id else {}
        query: Any = {
            "filter": order | span | store_id,
            "page": {"number": page, "size": PAGE_SIZE},
        }
        found = self._call(lambda: self.client.get_payments(**query), timeout).items
        known = [item for item in found if type(item) in STATUSES]
        return PaymentPage(
            {item.id: _gateway_payment(item) for item in known}, is_last=len(found) < PAGE_SIZE
        )

    def refund(
        self, *, number: str, amount: int, refundable: int, reason: str, key: str, timeout: float
    ) -> None:
        def call() -> Any:
            return self.client.cancel_payment(
                payment_id=number,
                amount=amount,
                current_cancellable_amount=refundable,
                reason=reason,
            )

        self._call(call, timeout, f"refund-{key}")

    def _call(
        self,
        call: Callable[[], Any],
        timeout: float,
        key: str = "",
        ignored: type[Exception] | tuple[()] = (),
    ) -> Any:
        """The answer, None for an ignored refusal, or a GatewayError; counted by the breaker."""
        try:
            is_probe = store.allow_call(NAME)
        except store.BreakerOpen as pause:
            raise GatewayUnavailable("breaker_open", str(pause)) from None
        before = _request_options.set((timeout, key))
        try:
            answer = call()
        except ignored:
            answer = None
        except Exception as exception:
            error = gateway_error(exception)
            store.record_call(NAME, succeeded=isinstance(error, Declined), is_probe=is_probe)
            raise error from exception
        finally:
            _request_options.reset(before)
        store.record_call(NAME, succeeded=True, is_probe=is_probe)
        return answer


def _retry_while_outstanding(call: Callable[[], Any], timeout: float) -> Any:
    """Repeat a call while an earlier one with the same idempotency key is still being handled."""
    give_up_at, pause = clock.monotonic() + timeout, FIRST_PAUSE
    while True:
        try:
            return call()
        except sdk.UnknownError as error:
            if OUTSTANDING not in str(error) or clock.monotonic() + pause > give_up_at:
                raise
        sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def gateway_error(exception: Exception) -> GatewayError:
    """Declined or unavailable where that is certain, otherwise unknown."""
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


def _gateway_payment(found: Any) -> GatewayPayment:
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


def _apply_request_options(request: httpx.Request) -> None:
    seconds, key = _request_options.get()
    timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
    request.extensions["timeout"] = timeout.as_dict()
    if key:
        request.headers["Idempotency-Key"] = key


def portone() -> PortOne:
    return _portone(
        settings.PORTONE_URL,
        settings.PORTONE_API_SECRET,
        settings.PORTONE_STORE_ID,
        settings.PORTONE_MANUAL_CONFIRM,
    )


@cache
def _portone(url: str, secret: str, store_id: str, charges_by_server: bool) -> PortOne:
    """One per process: making the SDK's client takes a third of a second."""
    return PortOne(url=url, secret=secret, store_id=store_id, charges_by_server=charges_by_server)
