"""PortOne V2 through its official SDK, with our own timeouts and idempotency keys.

The SDK has one fixed timeout and no idempotency parameter; both are put on each request by a hook
of its HTTP client. What it raises is sorted here into the three kinds of trouble, once.
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

from payments.breaker import Breaker, Open
from payments.gateways.base import (
    UNPAID,
    Declined,
    Page,
    Picture,
    Trouble,
    Unavailable,
    Unknown,
)
from ticketing.core import clock

log = logging.getLogger(__name__)
# What the request that is being made by this thread may take, and its idempotency key.
_manners: ContextVar[tuple[float, str]] = ContextVar("manners")
CONNECT_SECONDS = 3.0
PAGE = 100
OUTSTANDING, MEANWHILE, LONGEST_PAUSE = "IDEMPOTENCY_OUTSTANDING_REQUEST", 0.1, 2.0

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
# Our own fault, or PortOne's door: nothing was done.
SHUT_OUT = (sdk.UnauthorizedError, sdk.ForbiddenError)
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
WORDS: dict[type, str] = {
    kinds.ReadyPayment: "unpaid",
    kinds.PayPendingPayment: "pending",
    kinds.VirtualAccountIssuedPayment: "pending",
    kinds.PaidPayment: "paid",
    kinds.PartialCancelledPayment: "paid",
    kinds.CancelledPayment: "cancelled",
    kinds.FailedPayment: "failed",
}


class PortOne:
    def __init__(self, *, url: str, secret: str, store: str, charges_by_server: bool) -> None:
        self.charges_by_server = charges_by_server
        self.store = store
        self.breaker = Breaker("portone")
        self.client = kinds.PaymentClient(secret=secret, base_url=url, store_id=store or None)
        self.client._sync_client = httpx.Client(event_hooks={"request": [_mind_manners]})

    def prepare(self, *, number: str, amount: int, currency: str, seconds: float) -> None:
        def call() -> Any:
            return self.client.pre_register_payment(
                payment_id=number, total_amount=amount, currency=currency
            )

        def after_the_first() -> Any:
            return _once_the_first_is_done(call, seconds)

        self._call(after_the_first, seconds, f"prepare-{number}", fine=sdk.AlreadyPaidError)

    def charge(
        self, *, number: str, token: str, amount: int, currency: str, seconds: float
    ) -> None:
        def call() -> Any:
            return self.client.confirm_payment(
                payment_id=number, payment_token=token, total_amount=amount, currency=currency
            )

        self._call(call, seconds, f"charge-{number}", fine=sdk.AlreadyPaidError)

    def look(self, *, number: str, seconds: float) -> Picture:
        found = self._call(
            lambda: self.client.get_payment(payment_id=number),
            seconds,
            fine=sdk.PaymentNotFoundError,
        )
        return UNPAID if found is None else _picture(found)

    def page_of_day(self, *, since: datetime, until: datetime, page: int, seconds: float) -> Page:
        """In the order in which they were begun, so that pages don't shift while they are read."""
        order = {"sortBy": "REQUESTED_AT", "sortOrder": "ASC", "timestampType": "CREATED_AT"}
        span = {"from": since.isoformat(), "until": until.isoformat()}
        store = {"storeId": self.store} if self.store else {}
        asked: Any = {"filter": order | span | store, "page": {"number": page, "size": PAGE}}
        found = self._call(lambda: self.client.get_payments(**asked), seconds).items
        known = [one for one in found if type(one) in WORDS]
        return Page({one.id: _picture(one) for one in known}, is_last=len(found) < PAGE)

    def refund(
        self, *, number: str, amount: int, left: int, why: str, key: str, seconds: float
    ) -> None:
        def call() -> Any:
            return self.client.cancel_payment(
                payment_id=number, amount=amount, current_cancellable_amount=left, reason=why
            )

        self._call(call, seconds, f"refund-{key}")

    def _call(
        self,
        call: Callable[[], Any],
        seconds: float,
        key: str = "",
        fine: type[Exception] | tuple[()] = (),
    ) -> Any:
        """The answer, None for a refusal that is fine, or Trouble; the breaker is told of it."""
        is_try = self._ask_the_breaker()
        before = _manners.set((seconds, key))
        try:
            answer = call()
        except fine:
            answer = None
        except Exception as odd:
            trouble = trouble_of(odd)
            self.breaker.tell(isinstance(trouble, Declined), is_try=is_try)
            raise trouble from odd
        finally:
            _manners.reset(before)
        self.breaker.tell(True, is_try=is_try)
        return answer

    def _ask_the_breaker(self) -> bool:
        try:
            return self.breaker.ask()
        except Open as pause:
            raise Unavailable("breaker_open", str(pause)) from None


def _once_the_first_is_done(call: Callable[[], Any], seconds: float) -> Any:
    """A button pressed twice: while the first call is worked on, the second only has to wait."""
    give_up_at, pause = clock.monotonic() + seconds, MEANWHILE
    while True:
        try:
            return call()
        except sdk.UnknownError as odd:
            if OUTSTANDING not in str(odd) or clock.monotonic() + pause > give_up_at:
                raise
        sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def trouble_of(odd: Exception) -> Trouble:
    """Declined, unavailable or, whenever that is not certain, unknown."""
    code = type(odd).__name__
    match odd:
        case sdk.PgProviderError():
            return Declined(odd.pg_code or code, odd.pg_message or "")
        case _ if isinstance(odd, REFUSALS):
            return Declined(code, getattr(odd, "message", None) or "")
        case _ if isinstance(odd, SHUT_OUT):
            log.error("PortOne does not let us in: %s", code)
            return Unavailable(code, getattr(odd, "message", None) or "")
        case _ if isinstance(odd, NEVER_SENT):
            return Unavailable(code, str(odd))
    log.warning("PortOne answered oddly or not at all: %s %s", code, odd)
    return Unknown(code, str(odd))


def _picture(found: Any) -> Picture:
    if type(found) not in WORDS:
        raise Unknown("odd_payment", type(found).__name__)
    failure = getattr(found, "failure", None)
    cancellations = getattr(found, "cancellations", None) or []
    return Picture(
        WORDS[type(found)],
        amount=found.amount.total,
        currency=found.currency,
        cancelled=found.amount.cancelled,
        is_cancelling=any(isinstance(c, kinds.RequestedPaymentCancellation) for c in cancellations),
        is_test=found.channel is None or found.channel.type != "LIVE",
        transaction_id=found.transaction_id,
        code=(getattr(failure, "pg_code", None) or "")[:100],
        words=(getattr(failure, "pg_message", None) or getattr(failure, "reason", None) or "")[
            :300
        ],
    )


def _mind_manners(request: httpx.Request) -> None:
    seconds, key = _manners.get()
    wait = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
    request.extensions["timeout"] = wait.as_dict()
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
def _portone(url: str, secret: str, store: str, charges_by_server: bool) -> PortOne:
    """One per process: making the SDK's client takes a third of a second."""
    return PortOne(url=url, secret=secret, store=store, charges_by_server=charges_by_server)
