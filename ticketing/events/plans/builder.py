"""Builds a plan from the lines of a file of any format."""

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
from ticketing.events.plans.layout import keep_positions, lay_out
from ticketing.events.plans.positions import Positions, standing_box

MAX_NUMBER = 99_999
NAMES = ("name_ko", "name_en")


@dataclass
class SectionBuilder:
    """A section while its lines are being read."""

    draft: SectionDraft
    line: int
    lines: dict[tuple[str, int], int] = field(default_factory=dict)


@dataclass
class PlanBuilder:
    problems: Problems
    sections: dict[str, SectionBuilder] = field(default_factory=dict)
    positions: Positions = field(default_factory=Positions)
    seats: int = 0

    @property
    def is_full(self) -> bool:
        return self.seats > MAX_SEATS

    def section(self, fields: Fields) -> SectionBuilder | None:
        """The section of this line; None if its fields are invalid."""
        code = fields.text("section", limit=16)
        kind = fields.text("kind", limit=16, required=False).lower() or SEATED
        names: dict[str, Any] = {
            name: fields.text(f"section_{name}", limit=60, required=False) for name in NAMES
        }
        if fields.is_valid and kind not in (SEATED, STANDING):
            fields.add_problem("kind", _("must be “seated” or “standing”"))
        if not fields.is_valid:
            return None
        section = self.sections.setdefault(
            code, SectionBuilder(SectionDraft(code=code, kind=kind, **names), fields.line)
        )
        return section if _is_consistent(section, kind, names, fields) else None

    def place(self, section: SectionBuilder, fields: Fields) -> None:
        if section.draft.is_standing:
            self._standing(section, fields)
        else:
            self._seat(section, fields)

    def _seat(self, section: SectionBuilder, fields: Fields) -> None:
        place = PlaceDraft(
            row=fields.text("row", limit=8),
            number=fields.whole("number", low=1, high=MAX_NUMBER),
            grade=fields.text("grade", limit=8),
            accessible=fields.flag("accessible"),
            companion=fields.flag("companion"),
        )
        if fields.has("capacity"):
            fields.add_problem("capacity", _("is only for standing sections"))
        place = self.positions.apply(place, fields)
        if self._is_first(section, (place.row, place.number), fields) and self._has_room(1, fields):
            section.draft.places.append(place)

    def _standing(self, section: SectionBuilder, fields: Fields) -> None:
        """A standing section is described by a single line."""
        capacity = fields.whole("capacity", low=1, high=MAX_SEATS)
        grade = fields.text("grade", limit=8)
        box = standing_box(fields)
        if self._is_first(section, ("", 0), fields) and self._has_room(capacity, fields):
            section.draft.places.extend(standing_places(capacity, grade))
            section.draft = replace(section.draft, **box)

    def _is_first(self, section: SectionBuilder, key: tuple[str, int], fields: Fields) -> bool:
        """Whether the seat is valid and not in the file already."""
        if not fields.is_valid:
            return False
        if key not in section.lines:
            section.lines[key] = fields.line
            return True
        message = _("“%(code)s”, row “%(row)s”, number %(number)s is on line %(line)s already")
        if section.draft.is_standing:
            message = _("standing section “%(code)s” is on line %(line)s already")
        values = {"code": section.draft.code, "row": key[0], "number": key[1]}
        fields.add_problem("section", message % (values | {"line": section.lines[key]}))
        return False

    def _has_room(self, seats: int, fields: Fields) -> bool:
        self.seats += seats
        if self.is_full:
            self.add_too_many_seats(fields.line)
        return not self.is_full

    def add_too_many_seats(self, line: int) -> None:
        self.problems.add(line, "", _("more than %(limit)s seats") % {"limit": MAX_SEATS})

    def draft(self) -> PlanDraft:
        """The whole plan; sections without positions are laid out automatically."""
        self.positions.check(self.problems)
        sections = [_with_name(b.draft) for b in self.sections.values() if b.draft.places]
        if not sections and not self.problems:
            self.problems.add(0, "", _("The file has no seats."))
        if self.problems:
            return PlanDraft()
        drawn = self.positions.first_with or all(s.is_standing and s.width for s in sections)
        return keep_positions(sections) if drawn else lay_out(sections)


def _is_consistent(
    section: SectionBuilder, kind: str, names: dict[str, Any], fields: Fields
) -> bool:
    """Whether the line agrees with the section's earlier lines; adds names they lacked."""
    draft = section.draft
    if kind != draft.kind:
        message = _("section “%(code)s” is “%(kind)s” on line %(line)s")
        values = {"code": draft.code, "kind": draft.kind, "line": section.line}
        fields.add_problem("kind", message % values)
    for name, new in names.items():
        if new and new != (getattr(draft, name) or new):
            message = _("section “%(code)s” is called “%(name)s” above")
            values = {"code": draft.code, "name": getattr(draft, name)}
            fields.add_problem(f"section_{name}", message % values)
    if any(new and not getattr(draft, name) for name, new in names.items()):
        section.draft = replace(draft, **{n: getattr(draft, n) or names[n] for n in NAMES})
    return fields.is_valid


def _with_name(section: SectionDraft) -> SectionDraft:
    """Use the code as the name of a section that has none."""
    korean = section.name_ko or section.name_en or section.code
    return replace(section, name_ko=korean, name_en=section.name_en or korean)
