"""Where a file draws its seats: everywhere or nowhere, and no two on one spot."""

from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from ticketing.events.plans.draft import PlaceDraft
from ticketing.events.plans.errors import Problems
from ticketing.events.plans.fields import Fields


@dataclass
class Positions:
    spots: dict[tuple[int, int], int] = field(default_factory=dict)
    first_with: int = 0
    first_without: int = 0

    def give(self, place: PlaceDraft, fields: Fields) -> PlaceDraft:
        """The place with the position that its line tells, if any."""
        x, y = fields.position("x"), fields.position("y")
        if x is not None and y is not None:
            self._take(x, y, fields)
            return replace(place, x=x, y=y)
        if not fields.has("x") and not fields.has("y"):
            self.first_without = self.first_without or fields.line
        elif fields.fine:
            fields.bad("x" if x is None else "y", _("is missing: give both x and y, or neither"))
        return place

    def _take(self, x: int, y: int, fields: Fields) -> None:
        self.first_with = self.first_with or fields.line
        if (x, y) in self.spots:
            words = _("the seat of line %(line)s is at %(x)s, %(y)s already")
            fields.bad("x", words % {"x": x, "y": y, "line": self.spots[x, y]})
        self.spots.setdefault((x, y), fields.line)

    def check(self, problems: Problems) -> None:
        if self.first_with and self.first_without:
            words = _("is missing, but line %(line)s has positions: give all of them or none")
            problems.add(self.first_without, "x", words % {"line": self.first_with})


def box_of(fields: Fields) -> dict[str, Any]:
    """The box of a standing section, where the file draws it; nothing or all four numbers."""
    box = {name: fields.position(name) for name in ("x", "y")} | {
        name: fields.position(name, low=1) for name in ("width", "height")
    }
    known = {name: value for name, value in box.items() if value is not None}
    if known and len(known) < len(box) and fields.fine:
        missing = next(name for name in box if name not in known)
        fields.bad(missing, _("is missing: give x, y, width and height, or none of them"))
    return known if len(known) == len(box) else {}
