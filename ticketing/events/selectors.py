"""What the public may see of events and seats."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Min, Q, QuerySet

from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.core.errors import NotFound
from ticketing.events import store
from ticketing.events.models import REHEARSALS_FROM, Event, Grade, Seat, Section
from ticketing.events.models import is_rehearsal as is_rehearsal

# An event without an end is shown for so long after its start.
USUAL_LENGTH = timedelta(hours=3)
# Seats left on a page are at most so old: counting costs the same however many people look.
COUNTS_SECONDS = 1

SEARCHED = (
    "title_ko",
    "title_en",
    "plan__venue__name_ko",
    "plan__venue__name_en",
    "organiser__name_ko",
    "organiser__name_en",
)


@dataclass(frozen=True)
class GradeLeft:
    grade: Grade
    left: int
    total: int


@dataclass(frozen=True)
class GradeSeats:
    """The seats of a grade that are on sale: what is held back is not among them."""

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
class SectionLeft:
    section: Section
    grades: list[Grade]
    left: int
    total: int


def all_events() -> QuerySet[Event]:
    """Every event, with what is shown beside it and its lowest price."""
    return Event.objects.select_related("plan__venue", "organiser").annotate(
        lowest_price=Min("grades__price")
    )


def public_events() -> QuerySet[Event]:
    """For lists, searches and counts: nobody comes across a rehearsal."""
    return _announced_events().filter(rehearsal_of=None)


def public_event(pk: int) -> Event:
    """Also a rehearsal, for those who know its number: so the people in it come in."""
    event = _announced_events().filter(pk=pk).first()
    if event is None:
        raise NotFound()
    return event


def _announced_events() -> QuerySet[Event]:
    return all_events().exclude(state=Event.State.DRAFT)


def previewed_event(pk: int) -> Event:
    """For those who may see drafts."""
    event = all_events().filter(pk=pk).first()
    if event is None:
        raise NotFound()
    return event


def upcoming_events(*, search: str, now: datetime) -> QuerySet[Event]:
    """Events that are not over; each word of the search occurs in title, venue or organiser."""
    not_over = Q(ends_at__gte=now) | Q(ends_at=None, starts_at__gte=now - USUAL_LENGTH)
    return searched(public_events().filter(not_over), search).order_by("starts_at", "pk")


def searched(events: QuerySet[Event], search: str) -> QuerySet[Event]:
    for word in search.split():
        somewhere = Q()
        for field in SEARCHED:
            somewhere |= Q(**{f"{field}__icontains": word})
        events = events.filter(somewhere)
    return events


def grades_with_seats_left(event: Event) -> list[GradeLeft]:
    left: dict[int, int] = defaultdict(int)
    total: dict[int, int] = defaultdict(int)
    for _section, grade_id, free, all_seats in _seat_counts(event.pk):
        left[grade_id] += free
        total[grade_id] += all_seats
    return [GradeLeft(grade, left[grade.pk], total[grade.pk]) for grade in event.grades.all()]


def is_sold_out(grades: Sequence[GradeLeft]) -> bool:
    """Nothing is left, of what there is."""
    return any(grade.total for grade in grades) and not any(grade.left for grade in grades)


def sections_with_seats_left(event: Event) -> list[SectionLeft]:
    grades = {grade.pk: grade for grade in event.grades.all()}
    counts = defaultdict(list)
    for section_id, grade_id, free, all_seats in _seat_counts(event.pk):
        counts[section_id].append((grades[grade_id], free, all_seats))
    return [
        SectionLeft(
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
    """(section, grade, seats left, seats) of an event."""
    return _counted(f"seat-counts:{event_id}", lambda: _count_seats(event_id))


def _counted(key: str, count: Callable[[], list[Any]]) -> list[Any]:
    """Counted at most once a second; from PostgreSQL if Redis can't say."""
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
    """Another one whenever a seat of the event changed; None if nobody asked lately."""
    return store.seats_version(event_id)


def seats_by_grade(event_id: int) -> list[GradeSeats]:
    """Free, held and sold seats of every grade, in the order of the grades."""
    rows = _counted(f"seats-by-grade:{event_id}", lambda: _count_by_grade(event_id))
    return [GradeSeats(*row) for row in rows]


def _count_by_grade(event_id: int) -> list[Any]:
    states = {"free": Seat.State.AVAILABLE, "held": Seat.State.HELD, "sold": Seat.State.SOLD}
    counts = {name: Count("seats", filter=Q(seats__state=state)) for name, state in states.items()}
    grades = Grade.objects.filter(event_id=event_id).order_by("order", "pk").annotate(**counts)
    return list(grades.values_list("code", "name_ko", "name_en", *states))


def without_rehearsals(event_id: str = "id") -> Q:
    """A filter that leaves out rehearsals; `event_id` is the lookup of the event's id."""
    return Q(**{f"{event_id}__lt": REHEARSALS_FROM})
