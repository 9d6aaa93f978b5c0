"""Validates blocks before a plan is generated from them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from ticketing.events.plans.draft import MAX_SEATS, SEATED, STANDING
from ticketing.events.plans.errors import BadBlocks, Problem, Problems

if TYPE_CHECKING:
    from ticketing.events.plans.generate import Block

LIMITS = {
    "rows": (1, 500),
    "seats_per_row": (1, 500),
    "growth": (-20, 20),
    "wheelchair_places": (0, 250),
    "column": (1, 50),
    "grid_row": (1, 50),
}
LENGTHS = {"code": 16, "grade": 8, "name_ko": 60, "name_en": 60}


def check_blocks(blocks: Sequence["Block"]) -> None:
    if problems := block_problems(blocks):
        raise BadBlocks(problems=problems)


def block_problems(blocks: Sequence["Block"]) -> list[Problem]:
    """All problems of all blocks at once; `line` is the number of the block."""
    problems = Problems()
    for number, block in enumerate(blocks, start=1):
        _check_texts(number, block, problems)
        _check_numbers(number, block, problems)
    _check_together(blocks, problems)
    return problems.all()


def _check_texts(line: int, block: "Block", problems: Problems) -> None:
    for name, limit in LENGTHS.items():
        text = getattr(block, name)
        if len(text) > limit:
            problems.add(line, name, _("is longer than %(limit)s characters") % {"limit": limit})
        if not text.strip() and name in ("code", "grade"):
            problems.add(line, name, _("is missing"))
    if block.kind not in (SEATED, STANDING):
        problems.add(line, "kind", _("must be “seated” or “standing”"))


def _check_numbers(line: int, block: "Block", problems: Problems) -> None:
    limits = {"capacity": (1, MAX_SEATS)} if block.kind == STANDING else LIMITS
    message = _("%(number)s is not between %(low)s and %(high)s")
    for name, (low, high) in limits.items():
        number = getattr(block, name)
        if not low <= number <= high:
            problems.add(line, name, message % {"number": number, "low": low, "high": high})
    if block.kind == STANDING or block.rows < 1 or block.seats_per_row < 1:
        return
    last = block.seats_in_row(block.rows - 1)
    if last < 1:
        problems.add(line, "growth", _("leaves the last row without seats"))
    elif 2 * block.wheelchair_places > last:
        problems.add(line, "wheelchair_places", _("do not fit in the last row"))


def _check_together(blocks: Sequence["Block"], problems: Problems) -> None:
    codes: dict[str, int] = {}
    spots: dict[tuple[int, int], int] = {}
    for line, block in enumerate(blocks, start=1):
        if (first := codes.setdefault(block.code, line)) != line:
            problems.add(line, "code", _("is the code of block %(line)s too") % {"line": first})
        spot = (block.column, block.grid_row)
        if (first := spots.setdefault(spot, line)) != line:
            problems.add(line, "column", _("block %(line)s is there already") % {"line": first})
    if not blocks:
        problems.add(0, "", _("There are no blocks."))
    elif not problems and sum(block.seats for block in blocks) > MAX_SEATS:
        problems.add(0, "", _("more than %(limit)s seats") % {"limit": MAX_SEATS})
