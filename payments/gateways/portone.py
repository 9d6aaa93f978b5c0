"""PortOne V2 through its official SDK's coroutines, with our own deadlines and idempotency keys.

The SDK has one fixed timeout and no idempotency parameter; our HTTP client puts both on each
request. Timeouts of HTTP clients are per phase, so `asyncio.timeout` ends a call as a whole. Every
exception of the SDK becomes one of three GatewayErrors (portone_answers.py).
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from copy import copy
from datetime import datetime
from functools import cache, partial
from typing import Any, cast
from weakref import WeakKeyDictionary

import httpx
from django.conf import settings
from portone_server_sdk import errors as sdk
from portone_server_sdk import payment as kinds

from payments import metrics, store
from payments.gateways.base import (
    BREAKER_OPEN,
    UNPAID,
    Declined,
    GatewayIdentity,
    GatewayPayment,
    GatewayUnavailable,
    OutcomeUnknown,
    PaymentPage,
)
from payments.gateways.http_client import SdkHttpClient, request_options
from payments.gateways.identities import fetch_verification, gateway_identity, identity_client
from payments.gateways.portone_answers import STATUSES, gateway_error, gateway_payment
from ticketing.core import clock, traces
from ticketing.core.event_loop import at_end
from ticketing.core.metrics.machine import PoolUse, pools
from ticketing.core.slots import slot_given_up

NAME = "portone"
# Only connecting has a limit of its own: a call that never went out may be repeated.
CONNECT_SECONDS = 3.0
PAGE_SIZE = 100
OUTSTANDING, FIRST_PAUSE, LONGEST_PAUSE = "IDEMPOTENCY_OUTSTANDING_REQUEST", 0.1, 2.0
OUTCOMES: dict[type, str] = {
    Declined: "declined",
    OutcomeUnknown: "unknown",
    GatewayUnavailable: "unavailable",
}


class PortOne:
    """The gateway of one event loop: its connections, and a limit of calls under way."""

    def __init__(self, client: kinds.PaymentClient, *, charges_by_server: bool) -> None:
        self.charges_by_server = charges_by_server
        self.store_id = client._store_id
        self.slots = asyncio.Semaphore(settings.PORTONE_MAX_IN_FLIGHT)
        self.counting: set[asyncio.Task[None]] = set()
        self.client = copy(client)
        self.client._async_client = cast(Any, SdkHttpClient(_tls()))
        self.identities = copy(identity_client(client._secret, client._base_url, self.store_id))
        self.identities._async_client = self.client._async_client

    def use(self) -> PoolUse:
        size, free = settings.PORTONE_MAX_IN_FLIGHT, self.slots._value
        return PoolUse(size, size - free, len(self.slots._waiters or ()))

    async def prepare(self, *, number: str, amount: int, currency: str, timeout: float) -> None:
        """Register the amount, so that the payer's browser can't change it."""

        def call() -> Awaitable[Any]:
            return self.client.pre_register_payment_async(
                payment_id=number, total_amount=amount, currency=currency
            )

        until_free = partial(_retry_while_outstanding, call)
        await self._call(until_free, timeout, f"prepare-{number}", ignored=sdk.AlreadyPaidError)

    async def charge(
        self, *, number: str, token: str, amount: int, currency: str, timeout: float
    ) -> None:
        def call() -> Awaitable[Any]:
            return self.client.confirm_payment_async(
                payment_id=number, payment_token=token, total_amount=amount, currency=currency
            )

        await self._call(call, timeout, f"charge-{number}", ignored=sdk.AlreadyPaidError)

    async def fetch(self, *, number: str, timeout: float) -> GatewayPayment:
        found = await self._call(
            lambda: self.client.get_payment_async(payment_id=number),
            timeout,
            ignored=sdk.PaymentNotFoundError,
        )
        return UNPAID if found is None else gateway_payment(found)

    async def fetch_identity(self, *, number: str, timeout: float) -> GatewayIdentity | None:
        """The person who was verified; None: nobody was, or not yet."""
        found = await self._call(
            lambda: fetch_verification(self.identities, number),
            timeout,
            ignored=sdk.IdentityVerificationNotFoundError,
        )
        return gateway_identity(found)

    async def list_payments(
        self,
        *,
        since: datetime,
        until: datetime,
        page: int,
        by_change: bool = False,
        timeout: float,
    ) -> PaymentPage:
        """A page of the payments that began in this time, or with `by_change` last changed in it.

        Sorted by their beginning, so that pages don't shift while they are read.
        """
        order = {"sortBy": "REQUESTED_AT", "sortOrder": "ASC"}
        order |= {"timestampType": "STATUS_CHANGED_AT" if by_change else "CREATED_AT"}
        span = {"from": since.isoformat(), "until": until.isoformat()}
        store_id = {"storeId": self.store_id} if self.store_id else {}
        query: Any = {
            "filter": order | span | store_id,
            "page": {"number": page, "size": PAGE_SIZE},
        }
        answer = await self._call(lambda: self.client.get_payments_async(**query), timeout)
        known = [item for item in answer.items if type(item) in STATUSES]
        return PaymentPage(
            {item.id: gateway_payment(item) for item in known},
            is_last=len(answer.items) < PAGE_SIZE,
        )

    async def refund(
        self, *, number: str, amount: int, refundable: int, reason: str, key: str, timeout: float
    ) -> None:
        def call() -> Awaitable[Any]:
            return self.client.cancel_payment_async(
                payment_id=number,
                amount=amount,
                current_cancellable_amount=refundable,
                reason=reason,
            )

        await self._call(call, timeout, f"refund-{key}")

    async def _call(
        self,
        call: Callable[[], Awaitable[Any]],
        timeout: float,
        key: str = "",
        ignored: type[Exception] | tuple[()] = (),
    ) -> Any:
        """The answer within `timeout`, None for an ignored refusal; raises only GatewayErrors."""
        deadline = asyncio.get_running_loop().time() + timeout
        async with slot_given_up():
            try:
                async with asyncio.timeout_at(deadline):
                    await self.slots.acquire()
            except TimeoutError:
                raise GatewayUnavailable("too_many_calls", "no slot was free in time") from None
            try:
                return await self._counted(call, deadline, key, ignored)
            finally:
                self.slots.release()

    async def _counted(
        self,
        call: Callable[[], Awaitable[Any]],
        deadline: float,
        key: str,
        ignored: type[Exception] | tuple[()],
    ) -> Any:
        """Make the call if the breaker allows it, and have the breaker count how it ended."""
        try:
            is_probe = await store.allow_call(NAME, reads=not key)
        except store.BreakerOpen as pause:
            raise GatewayUnavailable(BREAKER_OPEN, str(pause)) from None
        left = max(deadline - asyncio.get_running_loop().time(), 0.01)
        before = request_options.set((min(CONNECT_SECONDS, 0.9 * left), key))
        began, outcome, kind = clock.monotonic(), "unknown", key.partition("-")[0] or "read"
        try:
            async with asyncio.timeout_at(deadline):
                with traces.span(f"gateway {kind}"):
                    answer, outcome = await call(), "answered"
        except ignored:
            answer, outcome = None, "answered"
        except Exception as exception:
            error = gateway_error(exception)
            outcome = OUTCOMES[type(error)]
            await store.record_call(NAME, succeeded=isinstance(error, Declined), is_probe=is_probe)
            raise error from exception
        finally:
            request_options.reset(before)
            metrics.GATEWAY_CALLS.labels(kind, outcome).note(clock.monotonic() - began)
        counted = asyncio.create_task(store.record_call(NAME, succeeded=True, is_probe=is_probe))
        if is_probe:
            await counted  # so that the breaker is closed before the caller goes on
        else:  # shares a Redis round trip with the caller's next call
            self.counting.add(counted)
            counted.add_done_callback(self.counting.discard)
        return answer


async def _retry_while_outstanding(call: Callable[[], Awaitable[Any]]) -> Any:
    """Repeat a call while an earlier one with the same idempotency key is still being handled."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await call()
        except sdk.UnknownError as error:
            if OUTSTANDING not in str(error):
                raise
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def portone() -> PortOne:
    """The gateway of the running event loop."""
    made = _by_loop.setdefault(asyncio.get_running_loop(), {})
    client, charges_by_server = sdk_client(), settings.PORTONE_MANUAL_CONFIRM
    if (client, charges_by_server) not in made:
        portone = PortOne(client, charges_by_server=charges_by_server)
        made[client, charges_by_server] = portone
        pools["gateway"] = portone.use
        at_end(portone.client._async_client.aclose)
    return made[client, charges_by_server]


def sdk_client() -> kinds.PaymentClient:
    return _sdk_client(settings.PORTONE_URL, settings.PORTONE_API_SECRET, settings.PORTONE_STORE_ID)


@cache
def _sdk_client(url: str, secret: str, store_id: str) -> kinds.PaymentClient:
    """One per process: making the SDK's client takes a third of a second."""
    _tls()
    identity_client(secret, url, store_id or None)
    return kinds.PaymentClient(secret=secret, base_url=url, store_id=store_id or None)


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


_by_loop: WeakKeyDictionary[
    asyncio.AbstractEventLoop, dict[tuple[kinds.PaymentClient, bool], PortOne]
] = WeakKeyDictionary()
