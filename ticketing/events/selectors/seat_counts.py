"""How many seats of events are free, held and sold."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Q

from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.core.prepared_queries import ids_text
from ticketing.core.sql import rows
from ticketing.events.models import Event, Grade, Seat, Section

# Seat counts on pages are at most this old, so that counting costs the same for any crowd.
COUNTS_SECONDS = 1
FREE_SEATS_UP_TO = """
SELECT asked.event, (
    SELECT count(*) FROM (
        SELECT FROM ticketing_seat
        WHERE event_id = asked.event AND state = 'available' LIMIT asked.most
    ) AS counted
) AS free
FROM unnest(%(events)s::bigint[], %(most)s::int[]) AS asked (event, most)
"""
SEATS_BY_GRADE = """
SELECT grade.code, grade.name_ko, grade.name_en,
       count(*) FILTER (WHERE seat.state = 'available') AS free,
       count(*) FILTER (WHERE seat.state = 'held') AS held,
       count(*) FILTER (WHERE seat.state = 'sold') AS sold
FROM ticketing_grade AS grade LEFT JOIN ticketing_seat AS seat ON seat.grade_id = grade.id
WHERE grade.event_id = %(event)s::bigint
GROUP BY grade.id ORDER BY grade.order, grade.id
"""
COUNTS_BY_STATE = {state.value: Count("pk", filter=Q(state=state)) for state in Seat.State}


@dataclass(frozen=True)
class GradeAvailability:
    grade: Grade
    left: int
    total: int


@dataclass(frozen=True)
class GradeSeatCounts:
    """The seats of a grade by state; seats held back from the sale are not counted."""

    code: str
    name_ko: str
    name_en: str
    free: int
    held: int
    sold: int

    @property
    def taken(self) -> int:
        return self.held + self.sold

    @property
    def total(self) -> int:
        return self.free + self.taken


@dataclass(frozen=True)
class SectionAvailability:
    section: Section
    grades: list[Grade]
    left: int
    total: int


def grade_availability(event: Event) -> list[GradeAvailability]:
    left: dict[int, int] = defaultdict(int)
    total: dict[int, int] = defaultdict(int)
    for _section, grade_id, free, all_seats in _seat_counts(event.pk):
        left[grade_id] += free
        total[grade_id] += all_seats
    return [
        GradeAvailability(grade, left[grade.pk], total[grade.pk]) for grade in event.grades.all()
    ]


def is_sold_out(grades: Sequence[GradeAvailability]) -> bool:
    """True if the event has seats and none of them is free."""
    return any(grade.total for grade in grades) and not any(grade.left for grade in grades)


def section_availability(event: Event) -> list[SectionAvailability]:
    grades = {grade.pk: grade for grade in event.grades.all()}
    counts = defaultdict(list)
    for section_id, grade_id, free, all_seats in _seat_counts(event.pk):
        counts[section_id].append((grades[grade_id], free, all_seats))
    return [
        SectionAvailability(
            section=section,
            grades=sorted((grade for grade, _, _ in counts[section.pk]), key=lambda g: g.order),
            left=sum(free for _, free, _ in counts[section.pk]),
            total=sum(all_seats for _, _, all_seats in counts[section.pk]),
        )
        for section in event.plan.sections.all()
        if section.pk in counts
    ]


def _seat_counts(event_id: int) -> list[tuple[int, int, int, int]]:
    """(section id, grade id, free seats, all seats) of an event."""
    return _cached_counts(f"seat-counts:{event_id}", lambda: _count_seats(event_id))


def _cached_counts(key: str, count: Callable[[], list[Any]]) -> list[Any]:
    """The cached counts, counted at most once a second; from PostgreSQL if Redis is down."""
    try:
        counts: list[Any] | None = cache.get(key)
        if counts is None:
            counts = count()
            cache.set(key, counts, COUNTS_SECONDS)
    except REDIS_OUTAGES:
        return count()
    return counts


def _count_seats(event_id: int) -> list[tuple[int, int, int, int]]:
    free = Count("pk", filter=Q(state=Seat.State.AVAILABLE))
    seats = Seat.objects.filter(event_id=event_id).order_by("section_id", "grade_id")
    return list(seats.values_list("section_id", "grade_id").annotate(free=free, seats=Count("pk")))


def seats_free(event_id: int) -> int:
    return sum(free for _, _, free, _ in _seat_counts(event_id))


def free_seats_up_to(event_id: int, most: int) -> int:
    """Count the free seats of an event now, but no further than `most`: so it costs little."""
    return free_seats_up_to_each({event_id: most})[event_id]


def free_seats_up_to_each(most: Mapping[int, int]) -> dict[int, int]:
    """The same for several events, in one statement; `most` is by event."""
    if not most:
        return {}
    found = rows(FREE_SEATS_UP_TO, {"events": ids_text(most), "most": ids_text(most.values())})
    return {row["event"]: row["free"] for row in found}


def seats_by_grade(event_id: int) -> list[GradeSeatCounts]:
    """Free, held and sold seats of every grade, in the order of the grades."""
    counts = _cached_counts(f"seats-by-grade:{event_id}", lambda: _count_by_grade(event_id))
    return [GradeSeatCounts(*row) for row in counts]


def _count_by_grade(event_id: int) -> list[Any]:
    return [
        (row["code"], row["name_ko"], row["name_en"], row["free"], row["held"], row["sold"])
        for row in rows(SEATS_BY_GRADE, {"event": event_id})
    ]


def event_seat_counts(event_ids: Collection[int]) -> dict[int, Any]:
    """Seats in all, and by state, of each of these events."""
    rows = Seat.objects.filter(event_id__in=event_ids).order_by().values("event_id")
    return {row["event_id"]: row for row in rows.annotate(total=Count("pk"), **COUNTS_BY_STATE)}


def section_seat_counts(event_id: int) -> list[dict[str, Any]]:
    """Each section of an event with its seats by state."""
    rows = Seat.objects.filter(event_id=event_id).values("section_id")
    rows = rows.annotate(total=Count("pk"), **COUNTS_BY_STATE)
    counts = {row["section_id"]: row for row in rows}
    sections = Section.objects.filter(pk__in=counts)
    return [{"section": section, **counts[section.pk]} for section in sections]
