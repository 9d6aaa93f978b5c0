"""Generates a seat plan from blocks: number of rows, seats per row, position."""

from dataclasses import dataclass, replace
from itertools import accumulate
from math import cos, sin

from ticketing.events.plans.block_checks import check_blocks
from ticketing.events.plans.draft import (
    ROW_STEP,
    SEAT_STEP,
    SEATED,
    STANDING,
    PlaceDraft,
    PlanDraft,
    SectionDraft,
    standing_places,
)
from ticketing.events.plans.layout import GridCell, place_on_grid, with_box, with_standing_box

LETTERS, NUMBERS = "letters", "numbers"
# The widest row of a curved block fills at most this angle, in radians.
WIDEST_ANGLE = 1.6
AISLE = SEAT_STEP


@dataclass(frozen=True, kw_only=True)
class Block:
    """One section. `column` and `grid_row` place it in the plan; row 1 is next to the stage."""

    code: str
    grade: str
    name_ko: str = ""
    name_en: str = ""
    kind: str = SEATED
    rows: int = 0
    seats_per_row: int = 0
    growth: int = 0  # additional seats in each next row
    row_labels: str = NUMBERS
    aisles_after: tuple[int, ...] = ()
    curved: bool = False
    wheelchair_places: int = 0  # in the last row, each beside a companion's seat
    capacity: int = 0
    column: int = 1
    grid_row: int = 1

    def seats_in_row(self, row: int) -> int:
        return self.seats_per_row + self.growth * row

    @property
    def seats(self) -> int:
        if self.kind == STANDING:
            return self.capacity
        return sum(self.seats_in_row(row) for row in range(self.rows))


def generate(blocks: list[Block]) -> PlanDraft:
    """The plan of these blocks; raises BadBlocks if one of them is invalid."""
    check_blocks(blocks)
    return place_on_grid(
        [GridCell(_section(block), block.column, block.grid_row) for block in blocks]
    )


def _section(block: Block) -> SectionDraft:
    section = SectionDraft(
        code=block.code,
        name_ko=block.name_ko or block.name_en or block.code,
        name_en=block.name_en or block.name_ko or block.code,
        kind=block.kind,
    )
    if block.kind == STANDING:
        return with_standing_box(
            replace(section, places=standing_places(block.capacity, block.grade))
        )
    places = [place for row in range(block.rows) for place in _row(block, row)]
    return with_box(replace(section, places=places))


def _row(block: Block, row: int) -> list[PlaceDraft]:
    seats = block.seats_in_row(row)
    reserved = 2 * block.wheelchair_places if row == block.rows - 1 else 0
    return [
        PlaceDraft(
            row=row_label(row, block.row_labels),
            number=number,
            grade=block.grade,
            x=x,
            y=y,
            accessible=number <= reserved and number % 2 == 1,
            companion=number <= reserved and number % 2 == 0,
        )
        for number, (x, y) in enumerate(_spots(block, row, _offsets(seats, block)), start=1)
    ]


def _offsets(seats: int, block: Block) -> list[int]:
    """Distance of each seat from the middle of its row, left to right."""
    steps = [SEAT_STEP + AISLE * (seat in block.aisles_after) for seat in range(1, seats)]
    along = list(accumulate(steps, initial=0))
    return [at - along[-1] // 2 for at in along]


def _spots(block: Block, row: int, offsets: list[int]) -> list[tuple[int, int]]:
    if not block.curved:
        return [(offset, row * ROW_STEP) for offset in offsets]
    first = _first_radius(block)
    radius = first + row * ROW_STEP
    angles = [offset / radius for offset in offsets]
    return [(round(radius * sin(a)), round(radius * cos(a)) - first) for a in angles]


def _first_radius(block: Block) -> int:
    """Radius of the first row, large enough that no row exceeds the widest angle."""
    widths = [
        -2 * _offsets(block.seats_in_row(row), block)[0] / WIDEST_ANGLE - row * ROW_STEP
        for row in range(block.rows)
    ]
    return max(15 * SEAT_STEP, *map(int, widths))


def row_label(row: int, style: str) -> str:
    """1, 2, 3 … or A, B … Z, AA, AB …"""
    if style != LETTERS:
        return str(row + 1)
    label, rest = "", row + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        label = chr(ord("A") + letter) + label
    return label
