"""How many seats of events are free, held and sold."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Q

from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.core.sql import rows
from ticketing.events.models import Event, Grade, Seat, Section

# Seat counts on pages are at most this old, so that counting costs the same for any crowd.
COUNTS_SECONDS = 1
FREE_SEATS_UP_TO = """
SELECT count(*) AS free FROM (
    SELECT FROM ticketing_seat
    WHERE event_id = %(event)s::bigint AND state = 'available' LIMIT %(most)s::int
) AS counted
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
    return int(rows(FREE_SEATS_UP_TO, {"event": event_id, "most": most})[0]["free"])


def seats_by_grade(event_id: int) -> list[GradeSeatCounts]:
    """Free, held and sold seats of every grade, in the order of the grades."""
    rows = _cached_counts(f"seats-by-grade:{event_id}", lambda: _count_by_grade(event_id))
    return [GradeSeatCounts(*row) for row in rows]


def _count_by_grade(event_id: int) -> list[Any]:
    states = {"free": Seat.State.AVAILABLE, "held": Seat.State.HELD, "sold": Seat.State.SOLD}
    counts = {name: Count("seats", filter=Q(seats__state=state)) for name, state in states.items()}
    grades = Grade.objects.filter(event_id=event_id).order_by("order", "pk").annotate(**counts)
    return list(grades.values_list("code", "name_ko", "name_en", *states))


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
