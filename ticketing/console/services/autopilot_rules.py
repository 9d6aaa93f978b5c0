"""The autopilot's rule for the admission rate, a pure function: down fast, up slowly."""

from dataclasses import dataclass

# Below this share of a target the rate may rise; between it and the target the rate stays.
CALM = 0.8
UP, MIN_UP = 1.05, 0.01
# A step down keeps this share of the rate, depending on how far the target is missed.
GENTLE, HARD = 0.8, 0.5
# The remaining seats must last this long at the new rate; the next decision comes much sooner.
STOCK_SECONDS = 30
# The lowest rate: 0 would mean no limit at all.
MIN_RATE = 0.01


@dataclass(frozen=True)
class AutopilotBounds:
    """The range of the rate, and the response time targets in milliseconds."""

    lowest: float
    highest: float
    page_ms: float
    database_ms: float


@dataclass(frozen=True)
class AutopilotMeasurements:
    """Response times (None: not measured), queue state, and how many more people find a seat."""

    page_ms: float | None
    database_ms: float | None
    waiting: int
    is_full: bool
    room: int


@dataclass(frozen=True)
class AutopilotDecision:
    """The new rate and its reason: a code, and the two numbers that were compared."""

    rate: float
    why: str
    a: int = 0
    b: int = 0


def decide(
    *, rate: float, bounds: AutopilotBounds, measured: AutopilotMeasurements
) -> AutopilotDecision:
    """Choose a rate within the bounds by response times; few seats lower it even below them."""
    current = min(rate, bounds.highest) if rate else bounds.highest
    wanted = _by_response_times(current, bounds, measured)
    bounded = min(max(wanted.rate, bounds.lowest), bounds.highest)
    by_stock = max(measured.room, 0) / STOCK_SECONDS
    if bounded > by_stock:
        slow = max(round(by_stock, 2), MIN_RATE)
        return AutopilotDecision(slow, "stock", max(measured.room, 0), STOCK_SECONDS)
    return AutopilotDecision(round(bounded, 2), wanted.why, wanted.a, wanted.b)


def _by_response_times(
    rate: float, bounds: AutopilotBounds, measured: AutopilotMeasurements
) -> AutopilotDecision:
    times = {
        "slow_pages": (measured.page_ms, bounds.page_ms),
        "slow_database": (measured.database_ms, bounds.database_ms),
    }
    known = [
        (took / target, why, took, target)
        for why, (took, target) in times.items()
        if took is not None
    ]
    if not known:
        return AutopilotDecision(rate, "no_data")
    load, why, took, target = max(known)
    if load > 1:
        share = min(max(CALM / load, HARD), GENTLE)
        return AutopilotDecision(rate * share, why, round(took), round(target))
    if load > CALM:
        return AutopilotDecision(rate, "steady", round(took), round(target))
    return _raised(rate, measured)


def _raised(rate: float, measured: AutopilotMeasurements) -> AutopilotDecision:
    """Raise the rate only while people use it: an unused rate would climb far too high."""
    if measured.page_ms is None or measured.database_ms is None:
        return AutopilotDecision(rate, "no_data")
    if not measured.waiting:
        return AutopilotDecision(rate, "nobody_waits")
    if measured.is_full:
        return AutopilotDecision(rate, "full")
    return AutopilotDecision(max(rate * UP, rate + MIN_UP), "healthy", round(measured.page_ms))
