"""Events, seat counts and what the public may see of them."""

import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db.models import Count, Min, Q, QuerySet
from django.utils.translation import gettext

from ticketing.accounts.models import User
from ticketing.accounts.selectors import Caller
from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.core.errors import NotFound
from ticketing.events import store
from ticketing.events.models import (
    FIRST_REHEARSAL_ID,
    LAST_REHEARSAL_ID,
    Event,
    Grade,
    Place,
    Seat,
    Section,
)

# An event without an end is listed this long after its start.
USUAL_LENGTH = timedelta(hours=3)
# Seat counts on pages are at most this old, so that counting costs the same for any crowd.
COUNTS_SECONDS = 1

COUNTS_BY_STATE = {state.value: Count("pk", filter=Q(state=state)) for state in Seat.State}

SEARCHED_FIELDS = (
    "title_ko",
    "title_en",
    "plan__venue__name_ko",
    "plan__venue__name_en",
    "organiser__name_ko",
    "organiser__name_en",
)


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


def all_events() -> QuerySet[Event]:
    """Every event with its venue, organiser and lowest price."""
    return Event.objects.select_related("plan__venue", "organiser").annotate(
        lowest_price=Min("grades__price")
    )


def public_events() -> QuerySet[Event]:
    """Announced events for lists, searches and counts; without rehearsals."""
    return _announced_events().filter(without_rehearsals("id"))


def public_event(pk: int) -> Event:
    """An announced event; also a rehearsal, which its simulated people find by its id."""
    event = _announced_events().filter(pk=pk).first()
    if event is None:
        raise NotFound()
    return event


def _announced_events() -> QuerySet[Event]:
    return all_events().exclude(state=Event.State.DRAFT)


def visible_event(pk: int, caller: Caller | None) -> Event:
    """The event as this caller may see it: a draft only if they may view events in the admin."""
    if caller and caller.is_staff:
        user = User.objects.filter(pk=caller.id).first()
        if user and user.has_perm("ticketing.view_event"):
            event = all_events().filter(pk=pk).first()
            if event is None:
                raise NotFound()
            return event
    return public_event(pk)


def is_rehearsal(event_id: int | None) -> bool:
    """Decided by the id, without SQL; a database constraint keeps id and `rehearsal_of` in step."""
    return event_id is not None and event_id >= FIRST_REHEARSAL_ID


def without_rehearsals(field: str = "event_id") -> Q:
    """Filters rows of other models: only those whose event is not a rehearsal."""
    return Q(**{f"{field}__lt": FIRST_REHEARSAL_ID})


def new_rehearsal_id() -> int:
    """A random event id in the range reserved for rehearsals."""
    return FIRST_REHEARSAL_ID + secrets.randbelow(LAST_REHEARSAL_ID - FIRST_REHEARSAL_ID)


def upcoming_events(*, search: str, now: datetime) -> QuerySet[Event]:
    """Events that are not over; each word of the search occurs in title, venue or organiser."""
    not_over = Q(ends_at__gte=now) | Q(ends_at=None, starts_at__gte=now - USUAL_LENGTH)
    return search_events(public_events().filter(not_over), search).order_by("starts_at", "pk")


def search_events(events: QuerySet[Event], search: str) -> QuerySet[Event]:
    for word in search.split():
        somewhere = Q()
        for field in SEARCHED_FIELDS:
            somewhere |= Q(**{f"{field}__icontains": word})
        events = events.filter(somewhere)
    return events


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


def section_seats(event: Event, code: str) -> tuple[Section, list[Seat]]:
    section = event.plan.sections.filter(code=code).first()
    if section is None:
        raise NotFound()
    seats = event.seats.filter(section=section).select_related("place", "grade")
    return section, list(seats.order_by("pk"))


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
    rows = Seat.objects.filter(event_id=event_id).order_by("section_id", "grade_id")
    return list(rows.values_list("section_id", "grade_id").annotate(free=free, seats=Count("pk")))


def seats_free(event_id: int) -> int:
    return sum(free for _, _, free, _ in _seat_counts(event_id))


def seats_version(event_id: int) -> str | None:
    """A value that changes with every seat of the event; None if nobody read the list lately."""
    return store.seats_version(event_id)


def seats_by_grade(event_id: int) -> list[GradeSeatCounts]:
    """Free, held and sold seats of every grade, in the order of the grades."""
    rows = _cached_counts(f"seats-by-grade:{event_id}", lambda: _count_by_grade(event_id))
    return [GradeSeatCounts(*row) for row in rows]


def _count_by_grade(event_id: int) -> list[Any]:
    states = {"free": Seat.State.AVAILABLE, "held": Seat.State.HELD, "sold": Seat.State.SOLD}
    counts = {name: Count("seats", filter=Q(seats__state=state)) for name, state in states.items()}
    grades = Grade.objects.filter(event_id=event_id).order_by("order", "pk").annotate(**counts)
    return list(grades.values_list("code", "name_ko", "name_en", *states))


SEAT_RANGE_FIELDS = ("section", "first_row", "last_row", "first_number", "last_number")


def seats_in_range(
    event: Event,
    *,
    section: Section,
    first_row: str = "",
    last_row: str = "",
    first_number: int | None = None,
    last_number: int | None = None,
) -> QuerySet[Seat]:
    """Seats of a section by rows and numbers; raises ValidationError for an unknown row."""
    seats = Seat.objects.filter(event=event, section=section)
    if first_row or last_row:
        rows = _rows_between(section, first_row or last_row, last_row or first_row)
        seats = seats.filter(place__row__in=rows)
    if first_number:
        seats = seats.filter(place__number__gte=first_number)
    if last_number:
        seats = seats.filter(place__number__lte=last_number)
    return seats


def _rows_between(section: Section, first_row: str, last_row: str) -> list[str]:
    """The rows from first to last in the order of the plan."""
    known = Place.objects.filter(section=section).order_by("id")
    rows = list(dict.fromkeys(known.values_list("row", flat=True)))
    for name, row in (("first_row", first_row), ("last_row", last_row)):
        if row not in rows:
            message = gettext("This section has no row “%(row)s”.") % {"row": row}
            raise ValidationError({name: message})
    low, high = sorted((rows.index(first_row), rows.index(last_row)))
    return rows[low : high + 1]


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


def plan_seat_counts(plan_ids: Collection[int]) -> dict[int, Any]:
    """Seats and sections of each of these plans."""
    rows = Place.objects.filter(section__plan_id__in=plan_ids).order_by()
    counted = rows.values("section__plan_id").annotate(
        seats=Count("pk"), sections=Count("section_id", distinct=True)
    )
    return {row["section__plan_id"]: row for row in counted}
