"""Places sections in the drawing. The stage is above y = 0."""

from collections import defaultdict
from dataclasses import dataclass, replace
from math import ceil, sqrt

from ticketing.events.plans.draft import ROW_STEP, SEAT_STEP, PlaceDraft, PlanDraft, SectionDraft

MARGIN = 14  # from a seat to the edge of its section's box
GAP = 40  # between sections
AREA_PER_PERSON = 160  # square units in a standing section


@dataclass(frozen=True)
class GridCell:
    """A section and its column and row in the grid of sections; row 0 is next to the stage."""

    section: SectionDraft
    column: int
    row: int


def place_on_grid(cells: list[GridCell]) -> PlanDraft:
    """Each section centred in its column, at the front of its row."""
    widths: dict[int, int] = defaultdict(int)
    heights: dict[int, int] = defaultdict(int)
    for cell in cells:
        widths[cell.column] = max(widths[cell.column], cell.section.width)
        heights[cell.row] = max(heights[cell.row], cell.section.height)
    lefts, tops = _starts(widths, 0), _starts(heights, GAP)
    return PlanDraft(
        [
            moved_to(
                cell.section,
                lefts[cell.column] + (widths[cell.column] - cell.section.width) // 2,
                tops[cell.row],
            )
            for cell in cells
        ]
    )


def place_side_by_side(sections: list[SectionDraft]) -> PlanDraft:
    """Sections in a nearly square grid, in the given order."""
    columns = max(1, ceil(sqrt(len(sections))))
    return place_on_grid(
        [GridCell(section, i % columns, i // columns) for i, section in enumerate(sections)]
    )


def place_in_rows(places: list[PlaceDraft]) -> list[PlaceDraft]:
    """Straight, centred rows; the first row in the file is next to the stage."""
    rows: dict[str, list[PlaceDraft]] = defaultdict(list)
    for place in places:
        rows[place.row].append(place)
    return [
        replace(place, x=x, y=y * ROW_STEP)
        for y, row in enumerate(rows.values())
        for place, x in zip(sorted(row, key=lambda p: p.number), _centred(len(row)), strict=True)
    ]


def with_box(section: SectionDraft) -> SectionDraft:
    """The section with the box around its seats."""
    xs, ys = [p.x for p in section.places], [p.y for p in section.places]
    return replace(
        section,
        x=min(xs) - MARGIN,
        y=min(ys) - MARGIN,
        width=max(xs) - min(xs) + 2 * MARGIN,
        height=max(ys) - min(ys) + 2 * MARGIN,
    )


def with_standing_box(section: SectionDraft) -> SectionDraft:
    """The section with a box twice as wide as deep, sized for its capacity."""
    height = max(60, round(sqrt(len(section.places) * AREA_PER_PERSON / 2)))
    return replace(section, width=2 * height, height=height)


def keep_positions(sections: list[SectionDraft]) -> PlanDraft:
    """Keep the file's positions; a standing section without a box goes behind all others."""
    boxes = [s if s.is_standing else with_box(s) for s in sections]
    bottom = max((s.y + s.height for s in boxes if s.width), default=0)
    left = min((s.x for s in boxes if s.width), default=0)
    placed = []
    for section in boxes:
        if not section.width:
            section = moved_to(with_standing_box(section), left, bottom + GAP)
            bottom = section.y + section.height
        placed.append(section)
    return PlanDraft(placed)


def lay_out(sections: list[SectionDraft]) -> PlanDraft:
    """Lay out sections of a file without positions."""
    return place_side_by_side(
        [
            with_standing_box(s)
            if s.is_standing
            else with_box(replace(s, places=place_in_rows(s.places)))
            for s in sections
        ]
    )


def moved_to(section: SectionDraft, left: int, top: int) -> SectionDraft:
    """The section with its top left corner here."""
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
