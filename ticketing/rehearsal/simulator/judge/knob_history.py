"""The values of a knob over time."""

from bisect import bisect_right
from collections.abc import Iterable

from ticketing.rehearsal.simulator.judge.clocks import FOREVER


class KnobHistory:
    """Around a change, the old and the new value may both be in force."""

    SLACK = 3.0

    def __init__(self, readings: Iterable[tuple[float, float]]) -> None:
        ordered = sorted(readings)
        self.times = [at for at, _ in ordered]
        self.values = [value for _, value in ordered]

    def between(self, began: float, ended: float) -> list[float]:
        """Every value that may have been in force at some time in between."""
        first = max(bisect_right(self.times, began - self.SLACK) - 1, 0)
        last = bisect_right(self.times, ended + self.SLACK)
        return self.values[first : max(last, first + 1)]

    def highest(self, began: float, ended: float) -> float:
        return max(self.between(began, ended), default=FOREVER)

    def lowest(self, began: float, ended: float) -> float:
        return min(self.between(began, ended), default=0.0)
