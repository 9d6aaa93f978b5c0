"""Results of a race."""

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
class DatabaseCost:
    """Statements run, and seconds spent in them."""

    statements: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Attempt:
    """One buyer's attempt; `accepted` is when they got the 202."""

    buyer: int
    seat: int
    outcome: Outcome
    began: float
    ended: float
    database_cost: DatabaseCost
    accepted: float | None = None
    error: str = ""

    @property
    def seconds(self) -> float:
        return self.ended - self.began


@dataclass(frozen=True)
class Sale:
    """A row of the sale table."""

    seat: int
    buyer: int


@dataclass(frozen=True)
class RaceResult:
    """The race of one strategy; sales in the order in which they were written."""

    strategy: str
    attempts: Sequence[Attempt]
    sales: Sequence[Sale]
    page_times: Sequence[float] = ()
    workers: Sequence[DatabaseCost] = ()

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
        """The first buyer of each seat."""
        return {sale.seat: sale.buyer for sale in reversed(self.sales)}

    @property
    def one_owner_per_seat(self) -> bool:
        """Whether every wanted seat was sold once, and to the buyer who was told so."""
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
        """How long the losers waited for their answer."""
        return [each.seconds for each in self.attempts if each.outcome != Outcome.BOUGHT]

    @property
    def accepted(self) -> list[float]:
        """How long buyers waited for their 202, if the strategy sends one."""
        return [each.accepted - each.began for each in self.attempts if each.accepted is not None]

    @property
    def database_cost(self) -> DatabaseCost:
        costs = [*(attempt.database_cost for attempt in self.attempts), *self.workers]
        return DatabaseCost(
            sum(each.statements for each in costs), sum(each.seconds for each in costs)
        )

    def count(self, outcome: Outcome) -> int:
        return sum(attempt.outcome == outcome for attempt in self.attempts)


def percentile(values: Sequence[float], share: int) -> float | None:
    """By nearest rank; None for no values."""
    if not values:
        return None
    return sorted(values)[ceil(len(values) * share / 100) - 1]
