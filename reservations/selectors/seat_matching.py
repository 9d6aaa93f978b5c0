"""Which returned seats suit somebody on the standby list: the number wanted, side by side."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import dist

from reservations.locks import NEIGHBOUR_DISTANCE


@dataclass(frozen=True)
class FreeSeat:
    """A seat to be offered. In a standing section every place is beside every other."""

    id: int
    grade: str
    section_id: int
    row: str
    position: tuple[float, float]
    is_standing: bool = False


Run = list[FreeSeat]


def longest_runs(seats: Sequence[FreeSeat]) -> dict[str, int]:
    """The most seats side by side, for each grade and, under "", for any grade."""
    grades = {"", *(seat.grade for seat in seats)}
    return {grade: max(map(len, _runs(seats, grade)), default=0) for grade in grades}


def matching_seats(seats: Sequence[FreeSeat], *, quantity: int, grade: str) -> list[int]:
    """Seats of the shortest run that is long enough, so that longer runs stay whole."""
    enough = [run for run in _runs(seats, grade) if len(run) >= quantity]
    best = min(enough, key=lambda run: (len(run), run[0].id), default=[])
    return sorted(seat.id for seat in best[:quantity])


def _runs(seats: Iterable[FreeSeat], grade: str) -> list[Run]:
    rows: dict[tuple[int, str], Run] = defaultdict(list)
    for seat in seats:
        if grade in ("", seat.grade):
            rows[seat.section_id, seat.row].append(seat)
    return [run for row in rows.values() for run in _runs_of_row(row)]


def _runs_of_row(row: Run) -> list[Run]:
    runs: list[Run] = []
    for seat in sorted(row, key=lambda seat: seat.position):
        last = runs[-1][-1] if runs else None
        is_beside = last and dist(seat.position, last.position) <= NEIGHBOUR_DISTANCE
        if last and (seat.is_standing or is_beside):
            runs[-1].append(seat)
        else:
            runs.append([seat])
    return runs
