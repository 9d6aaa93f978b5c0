"""Counts beside the rows of a list: one question for the whole page, never one for each row."""

from collections.abc import Collection
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, Q
from django.http import HttpRequest

from ticketing.events.models import Place, Seat, Section


class CountedList(ChangeList):
    """After the page's rows are known, its admin counts what belongs to them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows = list(self.result_list)
        keys = [row.pk for row in rows]
        counts: dict[int, Any] = self.model_admin.counts_of(keys)  # type: ignore[attr-defined]
        for row in rows:
            row.counts = counts.get(row.pk)
        self.result_list = rows


def seats_of_events(event_ids: Collection[int]) -> dict[int, Any]:
    """Seats in all, and by state, of each of these events."""
    by_state = {state.value: Count("pk", filter=Q(state=state)) for state in Seat.State}
    rows = Seat.objects.filter(event_id__in=event_ids).order_by().values("event_id")
    return {row["event_id"]: row for row in rows.annotate(total=Count("pk"), **by_state)}


def seats_of_sections(event_id: int) -> list[dict[str, Any]]:
    """Each section of an event with its seats by state."""
    by_state = {state.value: Count("pk", filter=Q(state=state)) for state in Seat.State}
    rows = Seat.objects.filter(event_id=event_id).values("section_id")
    counts = {row["section_id"]: row for row in rows.annotate(total=Count("pk"), **by_state)}
    sections = Section.objects.filter(pk__in=counts)
    return [{"section": section, **counts[section.pk]} for section in sections]


def places_of_plans(plan_ids: Collection[int]) -> dict[int, Any]:
    """Seats and sections of each of these plans."""
    rows = Place.objects.filter(section__plan_id__in=plan_ids).order_by()
    counted = rows.values("section__plan_id").annotate(
        seats=Count("pk"), sections=Count("section_id", distinct=True)
    )
    return {row["section__plan_id"]: row for row in counted}
