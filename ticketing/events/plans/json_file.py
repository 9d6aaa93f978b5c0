"""Reads JSON: sections with their seats (docs/seat-plans.md)."""

from typing import Any

from django.utils.translation import gettext as _

from ticketing.events.plans.assembly import Assembly, Building
from ticketing.events.plans.draft import STANDING, PlanDraft
from ticketing.events.plans.errors import Problems
from ticketing.events.plans.fields import Fields
from ticketing.events.plans.json_lines import Element, parse

SEAT_KEYS = {"row", "number", "grade", "x", "y", "accessible", "companion"}
SECTION_KEYS = {"code", "name_ko", "name_en", "kind", "grade", "seats"}
STANDING_KEYS = {"capacity", "x", "y", "width", "height"}
ALIASES = {"section": "code", "section_name_ko": "name_ko", "section_name_en": "name_en"}


def read_json(text: str, problems: Problems) -> PlanDraft:
    plan = parse(text, problems)
    if problems:
        return PlanDraft()
    assembly = Assembly(problems)
    top = plan if isinstance(plan, Element) else Element(line=1)
    _check_keys(top, {"sections"}, "", problems)
    for path, section in _elements(top, "sections", "", problems):
        _read_section(path, section, assembly)
    return assembly.draft()


def _read_section(path: str, section: Element, assembly: Assembly) -> None:
    standing = section.get("kind") == STANDING
    _check_keys(
        section, SECTION_KEYS | (STANDING_KEYS if standing else set()), path, assembly.problems
    )
    fields = Fields(section.line, section, assembly.problems, path, ALIASES)
    building = assembly.section(fields)
    if building is None or assembly.full:
        return
    if building.draft.places:
        words = _("section “%(code)s” is on line %(line)s already")
        fields.bad("section", words % {"code": building.draft.code, "line": building.line})
    elif building.draft.is_standing:
        assembly.place(building, fields)
    else:
        _read_seats(path, section, building, assembly)


def _read_seats(path: str, section: Element, building: Building, assembly: Assembly) -> None:
    for seat_path, seat in _elements(section, "seats", path, assembly.problems):
        _check_keys(seat, SEAT_KEYS, seat_path, assembly.problems)
        values = {"grade": section.get("grade")} | seat
        assembly.place(building, Fields(seat.line, values, assembly.problems, seat_path))
        if assembly.full:
            return


def _elements(
    parent: Element, key: str, path: str, problems: Problems
) -> list[tuple[str, Element]]:
    """The objects of a list, each with its path; everything else in it is a problem."""
    items: Any = parent.get(key)
    if not isinstance(items, list) or not items:
        problems.add(parent.line, path + key, _("must be a list with something in it"))
        return []
    found = []
    for number, item in enumerate(items):
        if isinstance(item, Element):
            found.append((f"{path}{key}[{number}].", item))
        else:
            problems.add(parent.line, f"{path}{key}[{number}]", _("must be an object in braces"))
    return found


def _check_keys(element: Element, known: set[str], path: str, problems: Problems) -> None:
    for key in element:
        if key not in known:
            problems.add(element.line, f"{path}{key[:40]}", _("is not a field that we know"))
