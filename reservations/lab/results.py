"""What came of a race."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil


class Outcome(StrEnum):
    BOUGHT = "bought"
    TAKEN = "taken"
    BUSY = "busy"
    BROKEN = "broken"


@dataclass(frozen=True)
class Ledger:
    """What somebody cost the database."""

    statements: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Attempt:
    """One buyer's try; `accepted` is when they were told to wait for an answer."""

    buyer: int
    seat: int
    outcome: Outcome
    began: float
    ended: float
    ledger: Ledger
    accepted: float | None = None
    trouble: str = ""

    @property
    def seconds(self) -> float:
        return self.ended - self.began


@dataclass(frozen=True)
class Sale:
    """A row."""

    seat: int
    buyer: int


@dataclass(frozen=True)
class Result:
    """One strategy's race; sales are in the order in which they were written."""

    strategy: str
    attempts: Sequence[Attempt]
    sales: Sequence[Sale]
    visits: Sequence[float] = ()
    workers: Sequence[Ledger] = ()

    @property
    def successes(self) -> int:
        return self.count(Outcome.BOUGHT)

    @property
    def failures(self) -> int:
        return len(self.attempts) - self.successes

    @property
    def duplicates(self) -> int:
        return len(self.sales) - len(self.owners)

    @property
    def owners(self) -> dict[int, int]:
        """Who had each seat first."""
        return {sale.seat: sale.buyer for sale in reversed(self.sales)}

    @property
    def one_owner_per_seat(self) -> bool:
        """Every seat that was wanted was sold, once, and to the one who believes to have it."""
        wanted = {attempt.seat for attempt in self.attempts}
        bought = Counter(
            (each.seat, each.buyer) for each in self.attempts if each.outcome == "bought"
        )
        sold = Counter((sale.seat, sale.buyer) for sale in self.sales)
        broken = self.count(Outcome.BROKEN)
        return not self.duplicates and set(self.owners) == wanted and bought == sold and not broken

    @property
    def began(self) -> float:
        return min(attempt.began for attempt in self.attempts)

    @property
    def seconds(self) -> float:
        return max(attempt.ended for attempt in self.attempts) - self.began

    @property
    def losers(self) -> list[float]:
        """How long those who got nothing waited to hear it."""
        return [each.seconds for each in self.attempts if each.outcome != Outcome.BOUGHT]

    @property
    def accepted(self) -> list[float]:
        """How long it took until buyers were told to wait for an answer, where they are."""
        return [each.accepted - each.began for each in self.attempts if each.accepted is not None]

    @property
    def ledger(self) -> Ledger:
        ledgers = [*(attempt.ledger for attempt in self.attempts), *self.workers]
        return Ledger(
            sum(each.statements for each in ledgers), sum(each.seconds for each in ledgers)
        )

    def count(self, outcome: Outcome) -> int:
        return sum(attempt.outcome == outcome for attempt in self.attempts)


def percentile(values: Sequence[float], share: int) -> float | None:
    """By nearest rank; nothing is said of nothing."""
    if not values:
        return None
    return sorted(values)[ceil(len(values) * share / 100) - 1]
