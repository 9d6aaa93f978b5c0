"""Every strategy that can be raced, by its name on the command line."""

from collections.abc import Callable
from dataclasses import dataclass

from reservations.lab.buyer import Buyer
from reservations.lab.results import Outcome, RaceResult
from reservations.lab.strategies import (
    arrival_order,
    gate,
    none,
    optimistic,
    pessimistic,
    redis_early,
    redis_lock,
)


@dataclass(frozen=True)
class Strategy:
    """`sound`: keeps one owner per seat; the others show what goes wrong."""

    buy: Callable[[Buyer, int], Outcome]
    sound: bool = True
    constraint: bool = False
    workers: bool = False


EARLY = "early"
STRATEGIES = {
    "none": Strategy(none.buy, sound=False),
    "optimistic": Strategy(optimistic.buy),
    "pessimistic": Strategy(pessimistic.buy),
    "redis": Strategy(redis_lock.buy),
    EARLY: Strategy(redis_early.buy, sound=False),
    "gate": Strategy(gate.buy, constraint=True),
    "async": Strategy(arrival_order.buy, workers=True),
}


def kept_promise(result: RaceResult) -> bool:
    """Whether each seat has one owner, or the strategy is not meant to keep that."""
    return result.one_owner_per_seat or not STRATEGIES[result.strategy].sound
