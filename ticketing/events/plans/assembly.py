"""Puts a plan together from the lines of a file, whatever its format."""

from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from ticketing.events.plans.draft import (
    MAX_SEATS,
    SEATED,
    STANDING,
    PlaceDraft,
    PlanDraft,
    SectionDraft,
    standing_places,
)
from ticketing.events.plans.errors import Problems
from ticketing.events.plans.fields import Fields
from ticketing.events.plans.layout import as_drawn, laid_out
from ticketing.events.plans.positions import Positions, box_of

MAX_NUMBER = 99_999
NAMES = ("name_ko", "name_en")


@dataclass
class Building:
    """A section while its lines are being read."""

    draft: SectionDraft
    line: int
    lines: dict[tuple[str, int], int] = field(default_factory=dict)


@dataclass
class Assembly:
    problems: Problems
    sections: dict[str, Building] = field(default_factory=dict)
    positions: Positions = field(default_factory=Positions)
    seats: int = 0

    @property
    def full(self) -> bool:
        return self.seats > MAX_SEATS

    def section(self, fields: Fields) -> Building | None:
        """The section that these fields are about; None if they are too bad to say."""
        code = fields.text("section", limit=16)
        kind = fields.text("kind", limit=16, required=False).lower() or SEATED
        names: dict[str, Any] = {
            name: fields.text(f"section_{name}", limit=60, required=False) for name in NAMES
        }
        if fields.fine and kind not in (SEATED, STANDING):
            fields.bad("kind", _("must be “seated” or “standing”"))
        if not fields.fine:
            return None
        building = self.sections.setdefault(
            code, Building(SectionDraft(code=code, kind=kind, **names), fields.line)
        )
        return building if _says_the_same(building, kind, names, fields) else None

    def place(self, building: Building, fields: Fields) -> None:
        if building.draft.is_standing:
            self._standing(building, fields)
        else:
            self._seat(building, fields)

    def _seat(self, building: Building, fields: Fields) -> None:
        place = PlaceDraft(
            row=fields.text("row", limit=8),
            number=fields.whole("number", low=1, high=MAX_NUMBER),
            grade=fields.text("grade", limit=8),
            accessible=fields.flag("accessible"),
            companion=fields.flag("companion"),
        )
        if fields.has("capacity"):
            fields.bad("capacity", _("is only for standing sections"))
        place = self.positions.give(place, fields)
        if self._is_first(building, (place.row, place.number), fields) and self._has_room(
            1, fields
        ):
            building.draft.places.append(place)

    def _standing(self, building: Building, fields: Fields) -> None:
        """A standing section is a single line."""
        capacity = fields.whole("capacity", low=1, high=MAX_SEATS)
        grade = fields.text("grade", limit=8)
        box = box_of(fields)
        if self._is_first(building, ("", 0), fields) and self._has_room(capacity, fields):
            building.draft.places.extend(standing_places(capacity, grade))
            building.draft = replace(building.draft, **box)

    def _is_first(self, building: Building, key: tuple[str, int], fields: Fields) -> bool:
        """Whether this seat is fine and was not in the file before."""
        if not fields.fine:
            return False
        if key not in building.lines:
            building.lines[key] = fields.line
            return True
        words = _("“%(code)s”, row “%(row)s”, number %(number)s is on line %(line)s already")
        if building.draft.is_standing:
            words = _("standing section “%(code)s” is on line %(line)s already")
        told = {"code": building.draft.code, "row": key[0], "number": key[1]}
        fields.bad("section", words % (told | {"line": building.lines[key]}))
        return False

    def _has_room(self, seats: int, fields: Fields) -> bool:
        self.seats += seats
        if self.full:
            self.too_many(fields.line)
        return not self.full

    def too_many(self, line: int) -> None:
        self.problems.add(line, "", _("more than %(limit)s seats") % {"limit": MAX_SEATS})

    def draft(self) -> PlanDraft:
        """The whole plan; what is missing in the drawing is laid out here."""
        self.positions.check(self.problems)
        sections = [_with_a_name(b.draft) for b in self.sections.values() if b.draft.places]
        if not sections and not self.problems:
            self.problems.add(0, "", _("The file has no seats."))
        if self.problems:
            return PlanDraft()
        drawn = self.positions.first_with or all(s.is_standing and s.width for s in sections)
        return as_drawn(sections) if drawn else laid_out(sections)


def _says_the_same(building: Building, kind: str, names: dict[str, Any], fields: Fields) -> bool:
    """Whether this line agrees with the section's lines before it; adds the names it brings."""
    draft = building.draft
    if kind != draft.kind:
        words = _("section “%(code)s” is “%(kind)s” on line %(line)s")
        told = {"code": draft.code, "kind": draft.kind, "line": building.line}
        fields.bad("kind", words % told)
    for name, new in names.items():
        if new and new != (getattr(draft, name) or new):
            words = _("section “%(code)s” is called “%(name)s” above")
            told = {"code": draft.code, "name": getattr(draft, name)}
            fields.bad(f"section_{name}", words % told)
    if any(new and not getattr(draft, name) for name, new in names.items()):
        building.draft = replace(draft, **{n: getattr(draft, n) or names[n] for n in NAMES})
    return fields.fine


def _with_a_name(section: SectionDraft) -> SectionDraft:
    """A section without a name is called by its code."""
    korean = section.name_ko or section.name_en or section.code
    return replace(section, name_ko=korean, name_en=section.name_en or korean)
