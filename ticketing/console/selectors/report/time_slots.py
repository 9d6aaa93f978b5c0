"""Time slots: a curve has a few hundred points, whether the sale took an hour or a month."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

MAX_SLOTS = 200
SLOT_SECONDS = (10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400, 604_800)
Value = TypeVar("Value")


def slot_seconds(began: datetime, ended: datetime) -> int:
    """The shortest slot length that needs at most MAX_SLOTS slots."""
    span = (ended - began).total_seconds()
    fitting = (seconds for seconds in SLOT_SECONDS if span / seconds <= MAX_SLOTS)
    return next(fitting, int(span / MAX_SLOTS) + 1)


def fill_gaps(known: Mapping[int, Value], slots: Sequence[int]) -> Iterable[tuple[int, Value]]:
    """Every slot with its value; a slot without one repeats the value before it."""
    last = known[slots[0]]
    for slot in slots:
        last = known.get(slot, last)
        yield slot, last


def slot_end(slot: int, seconds: int) -> datetime:
    return datetime.fromtimestamp((slot + 1) * seconds, UTC)
