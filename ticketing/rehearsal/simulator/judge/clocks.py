"""Two clocks: the recorder's, which is steady, and the server's, which may be off or be put wrong.

Answers that carry the server's time say how far apart they are: it was read between question and
answer. Where a fault turned a clock, a server may have read anything in between.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from ticketing.rehearsal.simulator.history import Deed

# Whose time is read while the call is answered; polls and frames may tell of the last tick.
EXACT = {"join": "server_time", "claim": "server_time", "hold": "server_time", "sample": "at"}
LEAST_TOLERANCE = 0.25
MOST_TURNED = 10.0  # either way, by a fault that does not say by how much
MARGIN = 1.0  # before and after a fault at which its effect may show
FOREVER = float("inf")


@lru_cache(maxsize=200_000)
def seconds(moment: str) -> float:
    """Of an ISO time; many answers carry the same."""
    return datetime.fromisoformat(moment).timestamp()


def moment_in(saw: dict[str, Any], name: str) -> float | None:
    found = saw.get(name)
    return seconds(found) if isinstance(found, str) and found else None


@dataclass(frozen=True)
class Turned:
    """A clock that a fault put wrong, by so much forwards and backwards at most."""

    began: float
    ended: float
    forwards: float
    backwards: float

    def covers(self, at: float, margin: float = 0.0) -> bool:
        return self.began - MARGIN - margin <= at <= self.ended + MARGIN + margin


@dataclass(frozen=True)
class Clocks:
    """The server's clock is ahead of the recorder's by `offset`, give or take `tolerance`."""

    offset: float
    tolerance: float
    turned: tuple[Turned, ...] = ()

    def steady(self, server: float) -> float:
        """The recorder's time of a server's time, outside of clock faults."""
        return server - self.offset

    def server(self, steady: float) -> float:
        return steady + self.offset

    def earliest(self, server: float) -> float:
        """The earliest moment, by the recorder, at which a server's clock could have shown this."""
        usual = server - self.offset - self.tolerance
        turned = (
            max(one.began - MARGIN, usual - one.forwards)
            for one in self.turned
            if usual - one.forwards <= one.ended + MARGIN
        )
        return min((usual, *turned))

    def latest(self, server: float) -> float:
        """The latest moment, by the recorder, at which a server's clock could have shown this."""
        usual = server - self.offset + self.tolerance
        turned = (
            min(one.ended + MARGIN, usual + one.backwards)
            for one in self.turned
            if usual + one.backwards >= one.began - MARGIN
        )
        return max((usual, *turned))

    def is_turned(self, steady: float, margin: float = 0.0) -> bool:
        return any(one.covers(steady, margin) for one in self.turned)

    def were_turned(self, began: float, ended: float) -> bool:
        return any(
            one.began - MARGIN <= ended and began <= one.ended + MARGIN for one in self.turned
        )


def clocks_of(deeds: Iterable[Deed], faults: Iterable[Deed]) -> Clocks:
    turned = tuple(turned_by(fault) for fault in faults if "clock" in fault.saw.get("fault", ""))
    low, high, middles = -FOREVER, FOREVER, []
    for deed in deeds:
        server = moment_in(deed.saw, EXACT[deed.did]) if deed.done else None
        if server is None or any(one.covers(deed.began, MARGIN) for one in turned):
            continue
        low, high = max(low, server - deed.ended), min(high, server - deed.began)
        middles.append((deed.ended - deed.began, server - (deed.began + deed.ended) / 2))
    if not middles:
        return Clocks(0.0, 1.0, turned)
    if low <= high:
        return Clocks((low + high) / 2, LEAST_TOLERANCE, turned)
    _, offset = min(middles)  # the quickest answer says it best
    return Clocks(offset, LEAST_TOLERANCE + low - high, turned)


def turned_by(fault: Deed) -> Turned:
    by = fault.saw.get("seconds")
    if by is None:
        return Turned(fault.began, fault.ended, MOST_TURNED, MOST_TURNED)
    return Turned(fault.began, fault.ended, max(float(by), 0.0), max(-float(by), 0.0))


class Dial:
    """A knob as it was turned. Around a turn, the old and the new value may both be in force."""

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

    def most(self, began: float, ended: float) -> float:
        return max(self.between(began, ended), default=FOREVER)

    def least(self, began: float, ended: float) -> float:
        return min(self.between(began, ended), default=0.0)
