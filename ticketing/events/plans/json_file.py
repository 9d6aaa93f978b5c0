"""Reads and writes JSON: sections with their seats (docs/seat-plans.md)."""

import json
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from ticketing.events.plans.builder import PlanBuilder, SectionBuilder
from ticketing.events.plans.draft import STANDING, PlanDraft, SectionDraft
from ticketing.events.plans.errors import Problems
from ticketing.events.plans.fields import Fields
from ticketing.events.plans.json_parser import JsonObject, parse

SEAT_KEYS = {"row", "number", "grade", "x", "y", "accessible", "companion"}
SECTION_KEYS = {"code", "name_ko", "name_en", "kind", "grade", "seats"}
STANDING_KEYS = {"capacity", "x", "y", "width", "height"}
ALIASES = {"section": "code", "section_name_ko": "name_ko", "section_name_en": "name_en"}


def write_json(plan: PlanDraft) -> str:
    """The plan as `read_json` reads it, one section a line."""
    sections = ",\n".join(json.dumps(_section(one), ensure_ascii=False) for one in plan.sections)
    return f'{{"sections": [\n{sections}\n]}}\n'


def _section(section: SectionDraft) -> dict[str, Any]:
    shared = {
        "code": section.code,
        "name_ko": section.name_ko,
        "name_en": section.name_en,
        "kind": section.kind,
    }
    if section.is_standing:
        box = {name: getattr(section, name) for name in ("x", "y", "width", "height")}
        grade = section.places[0].grade
        return shared | {"grade": grade, "capacity": len(section.places)} | box
    return shared | {"seats": [asdict(place) for place in section.places]}


def read_json(text: str, problems: Problems) -> PlanDraft:
    plan = parse(text, problems)
    if problems:
        return PlanDraft()
    builder = PlanBuilder(problems)
    top = plan if isinstance(plan, JsonObject) else JsonObject(source=None)
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
        if builder.problems.are_many:
            return
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
        if problems.are_many:
            break
        if isinstance(item, JsonObject):
            found.append((f"{path}{key}[{number}].", item))
        else:
            problems.add(parent.line, f"{path}{key}[{number}]", _("must be an object in braces"))
    return found


def _check_keys(element: JsonObject, known: set[str], path: str, problems: Problems) -> None:
    for key in element:
        if key not in known and not problems.are_many:
            problems.add(element.line, f"{path}{key[:40]}", _("is not a field that we know"))
