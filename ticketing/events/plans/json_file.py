"""Reads JSON: sections with their seats (docs/seat-plans.md)."""

from typing import Any

from django.utils.translation import gettext as _

from ticketing.events.plans.builder import PlanBuilder, SectionBuilder
from ticketing.events.plans.draft import STANDING, PlanDraft
from ticketing.events.plans.errors import Problems
from ticketing.events.plans.fields import Fields
from ticketing.events.plans.json_parser import JsonObject, parse

SEAT_KEYS = {"row", "number", "grade", "x", "y", "accessible", "companion"}
SECTION_KEYS = {"code", "name_ko", "name_en", "kind", "grade", "seats"}
STANDING_KEYS = {"capacity", "x", "y", "width", "height"}
ALIASES = {"section": "code", "section_name_ko": "name_ko", "section_name_en": "name_en"}


def read_json(text: str, problems: Problems) -> PlanDraft:
    plan = parse(text, problems)
    if problems:
        return PlanDraft()
    builder = PlanBuilder(problems)
    top = plan if isinstance(plan, JsonObject) else JsonObject(line=1)
    _check_keys(top, {"sections"}, "", problems)
    for path, section in _objects(top, "sections", "", problems):
        _read_section(path, section, builder)
    return builder.draft()


def _read_section(path: str, section: JsonObject, builder: PlanBuilder) -> None:
    standing = section.get("kind") == STANDING
    _check_keys(
        section, SECTION_KEYS | (STANDING_KEYS if standing else set()), path, builder.problems
    )
    fields = Fields(section.line, section, builder.problems, path, ALIASES)
    section_builder = builder.section(fields)
    if section_builder is None or builder.is_full:
        return
    if section_builder.draft.places:
        message = _("section “%(code)s” is on line %(line)s already")
        fields.add_problem(
            "section", message % {"code": section_builder.draft.code, "line": section_builder.line}
        )
    elif section_builder.draft.is_standing:
        builder.place(section_builder, fields)
    else:
        _read_seats(path, section, section_builder, builder)


def _read_seats(
    path: str, section: JsonObject, section_builder: SectionBuilder, builder: PlanBuilder
) -> None:
    for seat_path, seat in _objects(section, "seats", path, builder.problems):
        _check_keys(seat, SEAT_KEYS, seat_path, builder.problems)
        values = {"grade": section.get("grade")} | seat
        builder.place(section_builder, Fields(seat.line, values, builder.problems, seat_path))
        if builder.is_full:
            return


def _objects(
    parent: JsonObject, key: str, path: str, problems: Problems
) -> list[tuple[str, JsonObject]]:
    """The objects of a list with their paths; any other item is a problem."""
    items: Any = parent.get(key)
    if not isinstance(items, list) or not items:
        problems.add(parent.line, path + key, _("must be a list with something in it"))
        return []
    found = []
    for number, item in enumerate(items):
        if isinstance(item, JsonObject):
            found.append((f"{path}{key}[{number}].", item))
        else:
            problems.add(parent.line, f"{path}{key}[{number}]", _("must be an object in braces"))
    return found


def _check_keys(element: JsonObject, known: set[str], path: str, problems: Problems) -> None:
    for key in element:
        if key not in known:
            problems.add(element.line, f"{path}{key[:40]}", _("is not a field that we know"))
