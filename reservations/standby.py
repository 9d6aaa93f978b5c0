"""What can be seen of standby lists: who is where, and which seats came back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from reservations.errors import NoStandby
from reservations.fitting import Returned, longest_runs
from reservations.models import (
    ReservedSeat,
    ReturnedSeat,
    StandbyChange,
    StandbyEntry,
    StandbyList,
)
from ticketing.events.models import Event, Seat, Section
from waiting_queue.models import QueueJournal

State = StandbyEntry.State
# While an event is in one of these, its list goes on.
RUNNING = (Event.State.ON_SALE, Event.State.PAUSED, Event.State.SOLD_OUT)
OFFERING = (Event.State.ON_SALE, Event.State.SOLD_OUT)
# Why the system ends a wait, as it notes it now, and as it did.
ENDED_BY_ITSELF = ("sale_over", "the sale is over", "blocked")
# So many seats are looked at in one go; the others have their turn when these are gone.
LOOKED_AT = 1_000


@dataclass(frozen=True)
class Place:
    """Somebody's entry, as they see it; `place` counts from 1 while they wait."""

    entry: StandbyEntry
    state: str
    place: int | None = None


def own_place(*, event_id: int, fan_id: int, now: datetime) -> Place | None:
    """The latest of this person, also one that is over."""
    mine = StandbyEntry.objects.filter(event_id=event_id, fan_id=fan_id)
    entry = mine.select_related("reservation").order_by("-pk").first()
    if entry is None:
        return None
    waits = entry.state == State.WAITING
    return Place(entry, entry.state_at(now), place_of(entry) if waits else None)


def require_own_place(*, event_id: int, fan_id: int, now: datetime) -> Place:
    found = own_place(event_id=event_id, fan_id=fan_id, now=now)
    if found is None:
        raise NoStandby()
    return found


def removal_of(entry: StandbyEntry) -> StandbyChange | None:
    """The step by which an operator took them off the list; who left by themselves has none."""
    last = entry.changes.filter(after=State.LEFT).first()
    if last is None or last.why in ENDED_BY_ITSELF:
        return None
    return last if last.why or last.by_id not in (None, entry.fan_id) else None


def place_of(entry: StandbyEntry) -> int:
    ahead = Q(turn__lt=entry.turn) | Q(turn=entry.turn, pk__lt=entry.pk)
    return in_order(entry.event_id).filter(ahead).count() + 1


def in_order(event_id: int) -> QuerySet[StandbyEntry]:
    waiting = StandbyEntry.objects.filter(event_id=event_id, state=State.WAITING)
    return waiting.order_by("turn", "pk")


def whom_they_fit(event_id: int, seats: Sequence[Returned]) -> QuerySet[StandbyEntry]:
    """Those who wait for seats such as these, first things first."""
    fits = Q(pk__in=())
    for grade, longest in longest_runs(seats).items():
        fits |= Q(grade=grade, quantity__lte=longest)
    return in_order(event_id).filter(fits, fan__is_active=True)


def returned_seats(event_id: int) -> list[Returned]:
    """To be offered: kept, nobody's, and not a wheelchair place or its companion's seat."""
    kept = Seat.objects.filter(event_id=event_id, state=Seat.State.HELD, returned__isnull=False)
    kept = kept.filter(place__accessible=False, place__companion=False)
    kept = kept.exclude(Exists(_owned(OuterRef("pk")))).order_by("pk")
    about = ("pk", "grade__code", "section_id", "place__row", "place__x", "place__y")
    rows = kept.values_list(*about, "section__kind")[:LOOKED_AT]
    return [
        Returned(pk, grade, section, row, (x, y), kind == Section.Kind.STANDING)
        for pk, grade, section, row, x, y, kind in rows
    ]


def is_sold_out(event: Event) -> bool:
    """By the operator's word, or because nothing is left; once it was, the list stays."""
    if event.state == Event.State.SOLD_OUT:
        return True
    return event.seats.exists() and not _free_seats(event.pk).exists()


def sold_out_without_a_list() -> QuerySet[Event]:
    free = Seat.objects.filter(event_id=OuterRef("pk"), state=Seat.State.AVAILABLE)
    nothing_left = ~Exists(free) & Exists(Seat.objects.filter(event_id=OuterRef("pk")))
    kept = ReturnedSeat.objects.filter(event_id=OuterRef("pk"))
    ripe = Q(state=Event.State.SOLD_OUT) | nothing_left | Exists(kept)
    events = Event.objects.filter(state__in=RUNNING).exclude(returns=Event.Returns.AT_ONCE)
    left_over = Event.objects.filter(Exists(kept))
    return (events.filter(ripe) | left_over).filter(standby=None).order_by("pk")


def events_with_returned_seats() -> list[int]:
    rows = ReturnedSeat.objects.order_by("event_id").values_list("event_id", flat=True)
    return list(rows.distinct())


def unsettled_offers() -> QuerySet[StandbyEntry]:
    """Offers of which the end has not been written down."""
    offered = StandbyEntry.objects.filter(state=State.OFFERED)
    return offered.exclude(reservation__state__in=["held", "paying"]).order_by("pk")


def entries_of_the_past() -> QuerySet[StandbyEntry]:
    """Who waits for an event that sells nothing more."""
    over = StandbyEntry.objects.filter(state=State.WAITING).exclude(event__state__in=RUNNING)
    return over.order_by("pk")


def entries_of_the_blocked() -> QuerySet[StandbyEntry]:
    """Who was blocked by an operator since they joined the list."""
    blocked = QueueJournal.objects.filter(
        event_id=OuterRef("event_id"),
        person=OuterRef("fan_id"),
        kind=QueueJournal.Kind.BLOCKED,
        at__gt=OuterRef("created_at"),
    )
    return StandbyEntry.objects.filter(Exists(blocked), state=State.WAITING).order_by("pk")


def seats_to_release(event: Event, now: datetime) -> QuerySet[ReturnedSeat]:
    """Those that go on open sale now, as far as that depends on time alone."""
    kept = ReturnedSeat.objects.filter(event=event).order_by("pk")
    if event.state not in RUNNING or event.returns == Event.Returns.AT_ONCE:
        return kept
    if event.returns == Event.Returns.JITTERED:
        return kept.filter(back_at__lte=now)
    if event.returns == Event.Returns.ANNOUNCED:
        return kept if event.returns_at and event.returns_at <= now else kept.none()
    return kept.filter(Q(seat__place__accessible=True) | Q(seat__place__companion=True))


def returned_no_more(event_id: int) -> QuerySet[ReturnedSeat]:
    """Kept by mistake: somebody has them, or they are on sale. What the seats say counts."""
    kept = ReturnedSeat.objects.filter(event_id=event_id)
    return kept.filter(~Q(seat__state=Seat.State.HELD) | Exists(_owned(OuterRef("pk"))))


def list_of(event_id: int) -> StandbyList | None:
    return StandbyList.objects.filter(pk=event_id).first()


def _owned(seat: OuterRef) -> QuerySet[ReservedSeat]:
    return ReservedSeat.objects.filter(seat=seat, live=True)


def _free_seats(event_id: int) -> QuerySet[Seat]:
    return Seat.objects.filter(event_id=event_id, state=Seat.State.AVAILABLE)
