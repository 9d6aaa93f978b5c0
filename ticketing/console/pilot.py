"""What the autopilot does with the rate, a pure function: down quickly, up slowly, or nothing."""

from dataclasses import dataclass

# So often it decides; what it looks at are the seconds before.
EVERY_SECONDS = 5
# Below this share of a target there is room for more; between it and the target all stays.
CALM = 0.8
UP, LEAST_UP = 1.05, 0.01
GENTLE, HARD = 0.8, 0.5  # of the rate that is left after a step down
# At the pace of stock, what is left would last so long; the next look is much sooner.
STOCK_SECONDS = 30
# 0 would be no limit at all.
STANDSTILL = 0.01


@dataclass(frozen=True)
class Limits:
    """Between which rates it moves, and which times it keeps, in milliseconds."""

    lowest: float
    highest: float
    page_ms: float
    database_ms: float


@dataclass(frozen=True)
class Seen:
    """How the house feels, and how many could still come in and find a seat; None: not measured."""

    page_ms: float | None
    database_ms: float | None
    waiting: int
    is_full: bool
    room: int


@dataclass(frozen=True)
class Decision:
    """A rate, and why: a word, and the two numbers that were compared."""

    rate: float
    why: str
    a: int = 0
    b: int = 0


def decide(*, rate: float, limits: Limits, seen: Seen) -> Decision:
    """Health moves the rate between its bounds; stock has the last word, even below them."""
    current = min(rate, limits.highest) if rate else limits.highest
    wanted = _by_health(current, limits, seen)
    bounded = min(max(wanted.rate, limits.lowest), limits.highest)
    by_stock = max(seen.room, 0) / STOCK_SECONDS
    if bounded > by_stock:
        slow = max(round(by_stock, 2), STANDSTILL)
        return Decision(slow, "stock", max(seen.room, 0), STOCK_SECONDS)
    return Decision(round(bounded, 2), wanted.why, wanted.a, wanted.b)


def _by_health(rate: float, limits: Limits, seen: Seen) -> Decision:
    loads = {
        "slow_pages": (seen.page_ms, limits.page_ms),
        "slow_database": (seen.database_ms, limits.database_ms),
    }
    known = [
        (took / goal, why, took, goal) for why, (took, goal) in loads.items() if took is not None
    ]
    if not known:
        return Decision(rate, "no_data")
    load, why, took, goal = max(known)
    if load > 1:
        share = min(max(CALM / load, HARD), GENTLE)
        return Decision(rate * share, why, round(took), round(goal))
    if load > CALM:
        return Decision(rate, "steady", round(took), round(goal))
    return _with_room(rate, seen)


def _with_room(rate: float, seen: Seen) -> Decision:
    """Healthy; but a rate that nothing uses is not raised, or it would be far too high one day."""
    if seen.page_ms is None or seen.database_ms is None:
        return Decision(rate, "no_data")
    if not seen.waiting:
        return Decision(rate, "nobody_waits")
    if seen.is_full:
        return Decision(rate, "full")
    return Decision(max(rate * UP, rate + LEAST_UP), "healthy", round(seen.page_ms))
