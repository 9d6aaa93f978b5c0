"""Where sections go in the drawing. The stage is above y = 0."""

from collections import defaultdict
from dataclasses import dataclass, replace
from math import ceil, sqrt

from ticketing.events.plans.draft import ROW_STEP, SEAT_STEP, PlaceDraft, PlanDraft, SectionDraft

MARGIN = 14  # from a seat to the edge of its section's box
GAP = 40  # between sections
ROOM_OF_A_PERSON = 160  # square units in a standing section


@dataclass(frozen=True)
class Spot:
    """A section and its column and row in the house; row 0 is next to the stage."""

    section: SectionDraft
    column: int
    row: int


def on_a_grid(spots: list[Spot]) -> PlanDraft:
    """Every section centred in its column, at the front of its row."""
    widths: dict[int, int] = defaultdict(int)
    heights: dict[int, int] = defaultdict(int)
    for spot in spots:
        widths[spot.column] = max(widths[spot.column], spot.section.width)
        heights[spot.row] = max(heights[spot.row], spot.section.height)
    lefts, tops = _starts(widths, 0), _starts(heights, GAP)
    return PlanDraft(
        [
            moved(
                spot.section,
                lefts[spot.column] + (widths[spot.column] - spot.section.width) // 2,
                tops[spot.row],
            )
            for spot in spots
        ]
    )


def side_by_side(sections: list[SectionDraft]) -> PlanDraft:
    """A nearly square grid in the order given, for files that say no positions."""
    columns = max(1, ceil(sqrt(len(sections))))
    return on_a_grid(
        [Spot(section, i % columns, i // columns) for i, section in enumerate(sections)]
    )


def in_rows(places: list[PlaceDraft]) -> list[PlaceDraft]:
    """Straight, centred rows; the first row that is named is next to the stage."""
    rows: dict[str, list[PlaceDraft]] = defaultdict(list)
    for place in places:
        rows[place.row].append(place)
    return [
        replace(place, x=x, y=y * ROW_STEP)
        for y, row in enumerate(rows.values())
        for place, x in zip(sorted(row, key=lambda p: p.number), _centred(len(row)), strict=True)
    ]


def boxed(section: SectionDraft) -> SectionDraft:
    """The section with the box that its seats fill."""
    xs, ys = [p.x for p in section.places], [p.y for p in section.places]
    return replace(
        section,
        x=min(xs) - MARGIN,
        y=min(ys) - MARGIN,
        width=max(xs) - min(xs) + 2 * MARGIN,
        height=max(ys) - min(ys) + 2 * MARGIN,
    )


def standing_box(section: SectionDraft) -> SectionDraft:
    """A box twice as wide as deep, as large as its people need."""
    height = max(60, round(sqrt(len(section.places) * ROOM_OF_A_PERSON / 2)))
    return replace(section, width=2 * height, height=height)


def as_drawn(sections: list[SectionDraft]) -> PlanDraft:
    """Seats where the file says; a standing section without a box goes behind everything."""
    boxes = [s if s.is_standing else boxed(s) for s in sections]
    bottom = max((s.y + s.height for s in boxes if s.width), default=0)
    left = min((s.x for s in boxes if s.width), default=0)
    placed = []
    for section in boxes:
        if not section.width:
            section = moved(standing_box(section), left, bottom + GAP)
            bottom = section.y + section.height
        placed.append(section)
    return PlanDraft(placed)


def laid_out(sections: list[SectionDraft]) -> PlanDraft:
    """A drawing for a file that has none."""
    return side_by_side(
        [
            standing_box(s) if s.is_standing else boxed(replace(s, places=in_rows(s.places)))
            for s in sections
        ]
    )


def moved(section: SectionDraft, left: int, top: int) -> SectionDraft:
    """The same section with its box at this corner."""
    dx, dy = left - section.x, top - section.y
    places = section.places
    if not section.is_standing:
        places = [replace(place, x=place.x + dx, y=place.y + dy) for place in places]
    return replace(section, places=places, x=left, y=top)


def _centred(count: int) -> list[int]:
    left = -(count - 1) * SEAT_STEP // 2
    return [left + i * SEAT_STEP for i in range(count)]


def _starts(sizes: dict[int, int], first: int) -> dict[int, int]:
    starts, at = {}, first
    for key in sorted(sizes):
        starts[key] = at
        at += sizes[key] + GAP
    return starts
