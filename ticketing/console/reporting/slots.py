"""Slots of time: a course has a few hundred points, whether a sale took an hour or a month."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

MOST = 200
STEPS = (10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400, 604_800)
Value = TypeVar("Value")


def step_of(began: datetime, ended: datetime) -> int:
    """Seconds of a slot: the shortest that keeps their number small."""
    span = (ended - began).total_seconds()
    return next((step for step in STEPS if span / step <= MOST), int(span / MOST) + 1)


def filled(known: Mapping[int, Value], slots: Sequence[int]) -> Iterable[tuple[int, Value]]:
    """Every slot; in one in which nothing happened, all is as it was before."""
    last = known[slots[0]]
    for slot in slots:
        last = known.get(slot, last)
        yield slot, last


def moment(slot: int, step: int) -> datetime:
    """The end of a slot."""
    return datetime.fromtimestamp((slot + 1) * step, UTC)
