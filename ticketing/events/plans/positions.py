"""Seat positions in a file: given for all seats or for none, and no two the same."""

from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from ticketing.events.plans.draft import PlaceDraft
from ticketing.events.plans.errors import Problems
from ticketing.events.plans.fields import Fields


@dataclass
class Positions:
    lines_by_position: dict[tuple[int, int], int] = field(default_factory=dict)
    first_with: int = 0
    first_without: int = 0

    def apply(self, place: PlaceDraft, fields: Fields) -> PlaceDraft:
        """The place with the position from its line, if it has one."""
        x, y = fields.position("x"), fields.position("y")
        if x is not None and y is not None:
            self.first_with = self.first_with or fields.line
            if (x, y) in self.lines_by_position:
                message = _("the seat of line %(line)s is at %(x)s, %(y)s already")
                fields.add_problem(
                    "x", message % {"x": x, "y": y, "line": self.lines_by_position[x, y]}
                )
            self.lines_by_position.setdefault((x, y), fields.line)
            return replace(place, x=x, y=y)
        if not fields.has("x") and not fields.has("y"):
            self.first_without = self.first_without or fields.line
        elif fields.is_valid:
            fields.add_problem(
                "x" if x is None else "y", _("is missing: give both x and y, or neither")
            )
        return place

    def check(self, problems: Problems) -> None:
        if self.first_with and self.first_without:
            message = _("is missing, but line %(line)s has positions: give all of them or none")
            problems.add(self.first_without, "x", message % {"line": self.first_with})


def standing_box(fields: Fields) -> dict[str, Any]:
    """The box of a standing section: all four numbers, or nothing."""
    box = {name: fields.position(name) for name in ("x", "y")} | {
        name: fields.position(name, low=1) for name in ("width", "height")
    }
    known = {name: value for name, value in box.items() if value is not None}
    if known and len(known) < len(box) and fields.is_valid:
        missing = next(name for name in box if name not in known)
        fields.add_problem(missing, _("is missing: give x, y, width and height, or none of them"))
    return known if len(known) == len(box) else {}
