"""Which of the seats that came back suit somebody who waits: so many, side by side."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import dist

from reservations.locks import BESIDE


@dataclass(frozen=True)
class Returned:
    """A seat that came back. In a standing section every place is beside every other."""

    id: int
    grade: str
    section_id: int
    row: str
    spot: tuple[float, float]
    is_standing: bool = False


Run = list[Returned]


def longest_runs(seats: Sequence[Returned]) -> dict[str, int]:
    """How many seats together there are at most, of each grade and, under "", of any."""
    grades = {"", *(seat.grade for seat in seats)}
    return {grade: max(map(len, _runs(seats, grade)), default=0) for grade in grades}


def seats_for(seats: Sequence[Returned], *, quantity: int, grade: str) -> list[int]:
    """From the shortest stretch that is long enough, so that longer ones stay whole."""
    enough = [run for run in _runs(seats, grade) if len(run) >= quantity]
    best = min(enough, key=lambda run: (len(run), run[0].id), default=[])
    return sorted(seat.id for seat in best[:quantity])


def _runs(seats: Iterable[Returned], grade: str) -> list[Run]:
    rows: dict[tuple[int, str], Run] = defaultdict(list)
    for seat in seats:
        if grade in ("", seat.grade):
            rows[seat.section_id, seat.row].append(seat)
    return [run for row in rows.values() for run in _side_by_side(row)]


def _side_by_side(row: Run) -> list[Run]:
    runs: list[Run] = []
    for seat in sorted(row, key=lambda seat: seat.spot):
        last = runs[-1][-1] if runs else None
        if last and (seat.is_standing or dist(seat.spot, last.spot) <= BESIDE):
            runs[-1].append(seat)
        else:
            runs.append([seat])
    return runs
