"""Compares the recorder's clock, which is steady, with the server's, which a fault may shift.

Responses that carry the server's time tell the difference: the server read its clock between
request and response. While a fault shifted a clock, a server may have read anything in between.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from ticketing.rehearsal.simulator.history import Record

# Calls whose server time is read while they are answered; polls and frames may carry a tick's.
EXACT = {"join": "server_time", "claim": "server_time", "hold": "server_time", "sample": "at"}
LEAST_TOLERANCE = 0.25
UNKNOWN_SHIFT = 10.0  # seconds either way, of a fault that does not say by how much
MARGIN = 1.0  # seconds before and after a fault in which it may have an effect
FOREVER = float("inf")


@lru_cache(maxsize=200_000)
def seconds(moment: str) -> float:
    """Seconds since 1970 of an ISO time; cached, because many responses carry the same."""
    return datetime.fromisoformat(moment).timestamp()


def moment_in(data: dict[str, Any], name: str) -> float | None:
    found = data.get(name)
    return seconds(found) if isinstance(found, str) and found else None


@dataclass(frozen=True)
class ClockShift:
    """A fault that shifted a clock, by at most so many seconds forwards and backwards."""

    began: float
    ended: float
    forwards: float
    backwards: float

    def covers(self, at: float, margin: float = 0.0) -> bool:
        return self.began - MARGIN - margin <= at <= self.ended + MARGIN + margin


@dataclass(frozen=True)
class Clocks:
    """The server's clock is ahead of the recorder's by `offset`, give or take `tolerance`.

    Those of several servers were `apart` by so many seconds, as their answers show.
    """

    offset: float
    tolerance: float
    shifts: tuple[ClockShift, ...] = ()
    apart: float = 0.0

    def recorder_time(self, server: float) -> float:
        """The recorder's time for a server's time, outside of clock faults."""
        return server - self.offset

    def server_time(self, recorder: float) -> float:
        return recorder + self.offset

    def earliest(self, server: float) -> float:
        """The earliest moment, by the recorder, at which a server's clock could have shown this."""
        usual = server - self.offset - self.tolerance
        shifts = (
            max(one.began - MARGIN, usual - one.forwards)
            for one in self.shifts
            if usual - one.forwards <= one.ended + MARGIN
        )
        return min((usual, *shifts))

    def latest(self, server: float) -> float:
        """The latest moment, by the recorder, at which a server's clock could have shown this."""
        usual = server - self.offset + self.tolerance
        shifts = (
            min(one.ended + MARGIN, usual + one.backwards)
            for one in self.shifts
            if usual + one.backwards >= one.began - MARGIN
        )
        return max((usual, *shifts))

    def is_shifted(self, at: float, margin: float = 0.0) -> bool:
        return any(one.covers(at, margin) for one in self.shifts)

    def were_shifted(self, began: float, ended: float) -> bool:
        return any(
            one.began - MARGIN <= ended and began <= one.ended + MARGIN for one in self.shifts
        )


def clocks_of(records: Iterable[Record], faults: Iterable[Record]) -> Clocks:
    shifts = tuple(shift_of(fault) for fault in faults if "clock" in fault.data.get("fault", ""))
    low, high, middles = -FOREVER, FOREVER, []
    for record in records:
        server = moment_in(record.data, EXACT[record.action]) if record.done else None
        if server is None or any(one.covers(record.began, MARGIN) for one in shifts):
            continue
        low, high = max(low, server - record.ended), min(high, server - record.began)
        middles.append((record.ended - record.began, server - (record.began + record.ended) / 2))
    if not middles:
        return Clocks(0.0, 1.0, shifts)
    if low <= high:
        return Clocks((low + high) / 2, LEAST_TOLERANCE, shifts)
    _, offset = min(middles)  # the quickest response is the most exact
    return Clocks(offset, LEAST_TOLERANCE + low - high, shifts, apart=low - high)


def shift_of(fault: Record) -> ClockShift:
    by = fault.data.get("seconds")
    if by is None:
        return ClockShift(fault.began, fault.ended, UNKNOWN_SHIFT, UNKNOWN_SHIFT)
    return ClockShift(fault.began, fault.ended, max(float(by), 0.0), max(-float(by), 0.0))
