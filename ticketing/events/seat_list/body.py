"""The format of the seat list: each row's numbers as differences from one seat to the next.

docs/api.md describes it; tests/ticketing/events/api/decoding.py reads it back.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

from django.db.models import Count, Q

from ticketing.events.models import Event, Grade, Seat, Section

STATES = {
    Seat.State.AVAILABLE.value: "a",
    Seat.State.HELD.value: "h",
    Seat.State.SOLD.value: "s",
    Seat.State.BLOCKED.value: "b",
}
# From three equal steps on, [step, count] is shorter.
MIN_RUN = 3

COLUMNS = (
    *("section_id", "place__row", "id", "place__number", "place__x", "place__y"),
    *("grade_id", "place__accessible", "place__companion", "state"),
)
Row = list[tuple[Any, ...]]
Steps = list[int | list[int]]


def seat_list_body(event: Event) -> dict[str, Any]:
    all_grades = list(event.grades.all())
    grades = {grade.pk: index for index, grade in enumerate(all_grades)}
    rows, standing = _rows(event), _standing(event, grades)
    sections = [s for s in event.plan.sections.all() if s.pk in rows or s.pk in standing]
    in_order = [row for section in sections for row in rows.get(section.pk, [])]
    return {
        "event": event.pk,
        "currency": event.currency,
        "grades": [_grade(grade) for grade in all_grades],
        "sections": [
            _section(section)
            | {"rows": [_row(row, grades) for row in rows.get(section.pk, [])]}
            | {"standing": standing.get(section.pk, [])}
            for section in sections
        ],
        "states": "".join(STATES[seat[-1]] for row in in_order for seat in row),
    }


def steps(numbers: Sequence[int]) -> Steps:
    """7, 8, 9, 10, 20 → 7, [1, 3], 10: the first number, then the steps between them."""
    folded: Steps = [numbers[0]]
    for step, times in groupby(after - before for before, after in pairwise(numbers)):
        count = sum(1 for _ in times)
        folded += [[step, count]] if count >= MIN_RUN else [step] * count
    return folded


def _rows(event: Event) -> dict[int, list[Row]]:
    """The seated seats by section and row, in the order of their ids."""
    rows: dict[tuple[int, str], Row] = defaultdict(list)
    seated = Seat.objects.filter(event=event, section__kind=Section.Kind.SEATED)
    for seat in seated.order_by("pk").values_list(*COLUMNS):
        rows[seat[:2]].append(seat)
    by_section: dict[int, list[Row]] = defaultdict(list)
    for (section_id, _), row in rows.items():
        by_section[section_id].append(row)
    return by_section


def _standing(event: Event, grades: dict[int, int]) -> dict[int, list[dict[str, int]]]:
    """Free and total places of the standing sections, by section and grade."""
    places = Seat.objects.filter(event=event, section__kind=Section.Kind.STANDING)
    left = Count("pk", filter=Q(state=Seat.State.AVAILABLE))
    counts = places.values_list("section_id", "grade_id").annotate(left=left, total=Count("pk"))
    standing = defaultdict(list)
    for section_id, grade_id, free, total in counts.order_by("section_id", "grade__order"):
        standing[section_id].append({"grade": grades[grade_id], "left": free, "total": total})
    return standing


def _row(row: Row, grades: dict[int, int]) -> dict[str, Any]:
    _, labels, ids, numbers, xs, ys, grade_ids, accessible, companion, _ = zip(*row, strict=True)
    columns = {"ids": ids, "numbers": numbers, "x": xs, "y": ys}
    written = {"row": labels[0]} | {name: steps(column) for name, column in columns.items()}
    written["grades"] = steps([grades[grade_id] for grade_id in grade_ids])
    for name, flags in (("accessible", accessible), ("companion", companion)):
        if any(flags):
            written[name] = [position for position, flag in enumerate(flags) if flag]
    return written


def _grade(grade: Grade) -> dict[str, Any]:
    return {
        "code": grade.code,
        "name": {"ko": grade.name_ko, "en": grade.name_en},
        "price": grade.price,
        "colour": grade.colour,
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "code": section.code,
        "name": {"ko": section.name_ko, "en": section.name_en},
        "kind": section.kind,
        "box": [section.x, section.y, section.width, section.height],
    }
