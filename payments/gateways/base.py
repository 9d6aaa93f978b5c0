"""The calls that a gateway offers, and the three ways in which a call can fail."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

BREAKER_OPEN = "breaker_open"  # the code of a call that the breaker did not let out


class GatewayError(Exception):
    """A call failed; `code` and `message` come from the gateway or from us."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code)
        self.code, self.message = code[:100], message[:300]


class Declined(GatewayError):
    """The gateway refused. Nothing was done, and a repeat would be refused again."""


class OutcomeUnknown(GatewayError):
    """The call may or may not have been carried out; only `fetch` can tell."""


class GatewayUnavailable(GatewayError):
    """Nothing was done: the call never went out or was not accepted. It may be repeated."""


@dataclass(frozen=True)
class GatewayPayment:
    """A payment as the gateway knows it.

    `status` is unpaid, pending, paid, failed or cancelled; a partly refunded payment is paid.
    """

    status: str
    amount: int = 0
    currency: str = ""
    refunded: int = 0
    is_refund_pending: bool = False
    is_test: bool = False
    transaction_id: str = ""
    failure_code: str = ""
    failure_message: str = ""


UNPAID = GatewayPayment("unpaid")


@dataclass(frozen=True)
class GatewayIdentity:
    """A verified person as the gateway knows them, as far as we ask."""

    unique_value: str  # CI: the same for a person at every site
    birth_year: int
    is_test: bool = False


@dataclass(frozen=True)
class PaymentPage:
    """One page of the gateway's list of payments, by payment number."""

    payments: dict[str, GatewayPayment]
    is_last: bool


class Gateway(Protocol):
    """Each call takes at most `timeout` seconds in all, raises only GatewayError, and may be
    repeated. It belongs to the event loop in which it was made."""

    # Whether the server triggers the charge; otherwise it happens in the payer's browser.
    charges_by_server: bool

    async def prepare(self, *, number: str, amount: int, currency: str, timeout: float) -> None: ...

    async def charge(
        self, *, number: str, token: str, amount: int, currency: str, timeout: float
    ) -> None: ...

    async def fetch(self, *, number: str, timeout: float) -> GatewayPayment: ...

    async def fetch_identity(self, *, number: str, timeout: float) -> GatewayIdentity | None: ...

    async def list_payments(
        self,
        *,
        since: datetime,
        until: datetime,
        page: int,
        by_change: bool = False,
        timeout: float,
    ) -> PaymentPage: ...

    async def refund(
        self, *, number: str, amount: int, refundable: int, reason: str, key: str, timeout: float
    ) -> None: ...
