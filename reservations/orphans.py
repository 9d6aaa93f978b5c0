"""Single empty seats between taken ones, which nobody buys."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import dist

from reservations.locks import BESIDE


@dataclass(frozen=True)
class Neighbour:
    """A seat in a row, as far as those beside it are concerned."""

    id: int
    is_free: bool
    spot: tuple[float, float]


def seats_left_alone(row: Sequence[Neighbour], wanted: Collection[int]) -> list[int]:
    """The seats of a row that this choice would leave single, where another need not have.

    If all but one seat of a stretch are wanted, one is left over however they are chosen.
    """
    alone: list[int] = []
    for stretch in _free_stretches(row):
        left = [seat.id for seat in stretch if seat.id not in wanted]
        if len(left) > 1 and len(left) < len(stretch):
            alone += [part[0] for part in _parts(stretch, wanted) if len(part) == 1]
    return alone


def _free_stretches(row: Sequence[Neighbour]) -> Iterator[list[Neighbour]]:
    """Free seats side by side; an aisle ends a stretch, too."""
    stretch: list[Neighbour] = []
    for seat in sorted(row, key=lambda seat: seat.spot):
        if stretch and (not seat.is_free or dist(seat.spot, stretch[-1].spot) > BESIDE):
            yield stretch
            stretch = []
        if seat.is_free:
            stretch.append(seat)
    if stretch:
        yield stretch


def _parts(stretch: list[Neighbour], wanted: Collection[int]) -> Iterator[list[int]]:
    """What remains of a stretch, piece by piece."""
    for is_wanted, seats in groupby(stretch, key=lambda seat: seat.id in wanted):
        if not is_wanted:
            yield [seat.id for seat in seats]
