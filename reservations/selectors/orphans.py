"""Orphans: single free seats between taken ones, which nobody buys.

`choose_best.sql` gives seats that leave no orphan by the same rule, if there are any; a test
compares the two.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import dist

from reservations.locks import NEIGHBOUR_DISTANCE
from ticketing.core.ttl_cache import ttl_cache
from ticketing.events.models import Event, Place, Seat


@dataclass(frozen=True)
class RowSeat:
    """A seat of a row; `position` is (x, y) in the plan."""

    id: int
    is_free: bool
    position: tuple[float, float]


@ttl_cache(1)
def forbids_orphans(event_id: int) -> bool:
    return Event.objects.filter(pk=event_id, no_orphans=True).exists()


def forbidden_orphans(event_id: int, seat_ids: Collection[int]) -> list[int]:
    """The seats that holding these would leave single, if the event forbids that; in order."""
    if not seat_ids or not forbids_orphans(event_id):
        return []
    wanted = Place.objects.filter(pk__in=Seat.objects.filter(pk__in=seat_ids).values("place"))
    seats = Seat.objects.filter(
        event_id=event_id,
        section__in=wanted.values("section"),
        place__row__in=wanted.values("row"),
    )
    rows: dict[tuple[int, str], list[RowSeat]] = defaultdict(list)
    fields = ("pk", "state", "section_id", "place__row", "place__x", "place__y")
    for pk, state, section, row, x, y in seats.values_list(*fields):
        rows[section, row].append(RowSeat(pk, state == Seat.State.AVAILABLE, (x, y)))
    return sorted(seat for row in rows.values() for seat in orphans_in_row(row, seat_ids))


def orphans_in_row(row: Sequence[RowSeat], wanted: Collection[int]) -> list[int]:
    """The seats of a row that this choice would leave single, where another choice need not.

    If all but one seat of a stretch are wanted, one is left over however they are chosen.
    """
    orphans: list[int] = []
    for stretch in _free_stretches(row):
        left = [seat.id for seat in stretch if seat.id not in wanted]
        if len(left) > 1 and len(left) < len(stretch):
            orphans += [part[0] for part in _remaining_parts(stretch, wanted) if len(part) == 1]
    return orphans


def _free_stretches(row: Sequence[RowSeat]) -> Iterator[list[RowSeat]]:
    """Free seats side by side; a taken seat or an aisle ends a stretch."""
    stretch: list[RowSeat] = []
    for seat in sorted(row, key=lambda seat: seat.position):
        is_apart = bool(stretch) and (
            not seat.is_free or dist(seat.position, stretch[-1].position) > NEIGHBOUR_DISTANCE
        )
        if is_apart:
            yield stretch
            stretch = []
        if seat.is_free:
            stretch.append(seat)
    if stretch:
        yield stretch


def _remaining_parts(stretch: list[RowSeat], wanted: Collection[int]) -> Iterator[list[int]]:
    """The groups of adjacent seats that remain of a stretch."""
    for is_wanted, seats in groupby(stretch, key=lambda seat: seat.id in wanted):
        if not is_wanted:
            yield [seat.id for seat in seats]
