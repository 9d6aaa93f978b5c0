"""What any gateway can do, and the three ways in which a call can end badly."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class Trouble(Exception):
    """A call that did not do what it should; `code` and `words` are the gateway's or ours."""

    def __init__(self, code: str, words: str = "") -> None:
        super().__init__(code)
        self.code, self.words = code[:100], words[:300]


class Declined(Trouble):
    """The gateway said no: it was not done, and asking again is no use."""


class Unknown(Trouble):
    """It may have been done or not. Only looking tells."""


class Unavailable(Trouble):
    """It was certainly not done: the call never went out. Asking again is fine."""


@dataclass(frozen=True)
class Picture:
    """How a payment stands at the gateway.

    `word` is unpaid, pending, paid, failed or cancelled; what was partly given back is still paid.
    """

    word: str
    amount: int = 0
    currency: str = ""
    cancelled: int = 0
    is_cancelling: bool = False
    is_test: bool = False
    transaction_id: str = ""
    code: str = ""
    words: str = ""


UNPAID = Picture("unpaid")


@dataclass(frozen=True)
class Page:
    """Some of the payments that were begun at the gateway in a span of time, by their numbers."""

    pictures: dict[str, Picture]
    is_last: bool


class Gateway(Protocol):
    """Each call takes at most `seconds`, raises nothing but Trouble, and may be repeated."""

    # Whether the server triggers the charge; else it happens in the payer's browser.
    charges_by_server: bool

    def prepare(self, *, number: str, amount: int, currency: str, seconds: float) -> None: ...

    def charge(
        self, *, number: str, token: str, amount: int, currency: str, seconds: float
    ) -> None: ...

    def look(self, *, number: str, seconds: float) -> Picture: ...

    def page_of_day(
        self, *, since: datetime, until: datetime, page: int, seconds: float
    ) -> Page: ...

    def refund(
        self, *, number: str, amount: int, left: int, why: str, key: str, seconds: float
    ) -> None: ...
