"""Grades and seats of seat plans."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, Min

from ticketing.events.models import Place


def plan_grades(plan_id: int) -> list[str]:
    """The grades of a plan's places, in the order in which it first uses them."""
    grades = Place.objects.filter(section__plan=plan_id).values("grade").annotate(first=Min("id"))
    return list(grades.order_by("first").values_list("grade", flat=True))


def plan_seat_counts(plan_ids: Collection[int]) -> dict[int, Any]:
    """Seats and sections of each of these plans."""
    rows = Place.objects.filter(section__plan_id__in=plan_ids).order_by()
    counted = rows.values("section__plan_id").annotate(
        seats=Count("pk"), sections=Count("section_id", distinct=True)
    )
    return {row["section__plan_id"]: row for row in counted}
