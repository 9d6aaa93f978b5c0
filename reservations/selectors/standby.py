"""Standby lists: who waits at which place, and which returned seats can be offered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from reservations.errors import NotOnStandby
from reservations.models import (
    Reservation,
    ReservedSeat,
    ReturnedSeat,
    StandbyChange,
    StandbyEntry,
    StandbyList,
)
from reservations.selectors.seat_matching import FreeSeat, longest_runs
from ticketing.events.models import Event, Seat, Section
from waiting_queue.models import QueueJournal

State = StandbyEntry.State
# Event states in which the list is open, and in which seats are offered.
RUNNING = (Event.State.ON_SALE, Event.State.PAUSED, Event.State.SOLD_OUT)
OFFERING = (Event.State.ON_SALE, Event.State.SOLD_OUT)
# Reasons written when the system ends a wait; older rows have the sentence.
SYSTEM_REASONS = ("sale_over", "the sale is over", "blocked")
# Per call; the others are offered when these are gone.
MAX_RETURNED_SEATS = 1_000


@dataclass(frozen=True)
class StandbyPlace:
    """A person's entry as they see it; `place` counts from 1 while they wait."""

    entry: StandbyEntry
    state: str
    place: int | None = None


def own_place(*, event_id: int, fan_id: int, now: datetime) -> StandbyPlace | None:
    """The latest entry of this person, even if it has ended."""
    mine = StandbyEntry.objects.filter(event_id=event_id, fan_id=fan_id)
    entry = mine.select_related("reservation").order_by("-pk").first()
    if entry is None:
        return None
    waits = entry.state == State.WAITING
    return StandbyPlace(entry, entry.state_at(now), place_of(entry) if waits else None)


def require_own_place(*, event_id: int, fan_id: int, now: datetime) -> StandbyPlace:
    found = own_place(event_id=event_id, fan_id=fan_id, now=now)
    if found is None:
        raise NotOnStandby()
    return found


def removal_of(entry: StandbyEntry) -> StandbyChange | None:
    """The change by which an operator removed this entry, if one did."""
    last = entry.changes.filter(after=State.LEFT).first()
    if last is None or last.why in SYSTEM_REASONS:
        return None
    return last if last.why or last.by_id not in (None, entry.fan_id) else None


def place_of(entry: StandbyEntry) -> int:
    ahead = Q(turn__lt=entry.turn) | Q(turn=entry.turn, pk__lt=entry.pk)
    return waiting_entries(entry.event_id).filter(ahead).count() + 1


def waiting_entries(event_id: int) -> QuerySet[StandbyEntry]:
    waiting = StandbyEntry.objects.filter(event_id=event_id, state=State.WAITING)
    return waiting.order_by("turn", "pk")


def entries_matching(event_id: int, seats: Sequence[FreeSeat]) -> QuerySet[StandbyEntry]:
    """Waiting entries that these seats could serve, in order."""
    fits = Q(pk__in=())
    for grade, longest in longest_runs(seats).items():
        fits |= Q(grade=grade, quantity__lte=longest)
    return waiting_entries(event_id).filter(fits, fan__is_active=True)


def returned_seats(event_id: int) -> list[FreeSeat]:
    """Seats to offer: kept, without an owner, not wheelchair places or companions' seats."""
    kept = Seat.objects.filter(event_id=event_id, state=Seat.State.HELD, returned__isnull=False)
    kept = kept.filter(place__accessible=False, place__companion=False)
    kept = kept.exclude(Exists(_owned(OuterRef("pk")))).order_by("pk")
    fields = ("pk", "grade__code", "section_id", "place__row", "place__x", "place__y")
    rows = kept.values_list(*fields, "section__kind")[:MAX_RETURNED_SEATS]
    return [
        FreeSeat(pk, grade, section, row, (x, y), kind == Section.Kind.STANDING)
        for pk, grade, section, row, x, y, kind in rows
    ]


def is_all_sold(event_id: int) -> bool:
    """Whether seats were sold and none is left: none is free, and none held that could be returned.

    Seats held for somebody on the standby list are not on open sale.
    """
    seats = Seat.objects.filter(event_id=event_id)
    if seats.filter(state=Seat.State.AVAILABLE).exists() or open_holds(event_id).exists():
        return False
    return seats.filter(state=Seat.State.SOLD).exists()


def open_holds(event_id: int) -> QuerySet[Reservation]:
    """Reservations that are not paid for yet, without the offers to the standby list."""
    unpaid = [Reservation.State.HELD, Reservation.State.PAYING]
    return Reservation.objects.filter(event_id=event_id, state__in=unpaid, offer=None).order_by()


def count_holders(*, event_id: int, **_: Any) -> int:
    """How many people hold seats that they have not paid for; the queue asks for it."""
    return open_holds(event_id).values("fan_id").distinct().count()


def sold_out_events_without_list() -> QuerySet[Event]:
    kept = ReturnedSeat.objects.filter(event_id=OuterRef("pk"))
    sold_out = Q(state=Event.State.SOLD_OUT) | Exists(kept)
    events = Event.objects.filter(state__in=RUNNING).exclude(returns=Event.Returns.AT_ONCE)
    left_over = Event.objects.filter(Exists(kept))
    return (events.filter(sold_out) | left_over).filter(standby=None).order_by("pk")


def events_with_returned_seats() -> list[int]:
    rows = ReturnedSeat.objects.order_by("event_id").values_list("event_id", flat=True)
    return list(rows.distinct())


def unsettled_offers() -> QuerySet[StandbyEntry]:
    """Offered entries whose reservation has ended."""
    offered = StandbyEntry.objects.filter(state=State.OFFERED)
    return offered.exclude(reservation__state__in=["held", "paying"]).order_by("pk")


def entries_of_ended_sales() -> QuerySet[StandbyEntry]:
    """Waiting entries of events whose sale has ended."""
    over = StandbyEntry.objects.filter(state=State.WAITING).exclude(event__state__in=RUNNING)
    return over.order_by("pk")


def entries_of_blocked_fans() -> QuerySet[StandbyEntry]:
    """Waiting entries of fans whom an operator blocked after they joined."""
    blocked = QueueJournal.objects.filter(
        event_id=OuterRef("event_id"),
        person=OuterRef("fan_id"),
        kind=QueueJournal.Kind.BLOCKED,
        at__gt=OuterRef("created_at"),
    )
    return StandbyEntry.objects.filter(Exists(blocked), state=State.WAITING).order_by("pk")


def seats_to_release(event: Event, now: datetime) -> QuerySet[ReturnedSeat]:
    """Returned seats that the event's policy puts back on open sale now."""
    kept = ReturnedSeat.objects.filter(event=event).order_by("pk")
    if event.state not in RUNNING or event.returns == Event.Returns.AT_ONCE:
        return kept
    if event.returns == Event.Returns.JITTERED:
        return kept.filter(back_at__lte=now)
    if event.returns == Event.Returns.ANNOUNCED:
        return kept if event.returns_at and event.returns_at <= now else kept.none()
    return kept.filter(Q(seat__place__accessible=True) | Q(seat__place__companion=True))


def stale_returned_seats(event_id: int) -> QuerySet[ReturnedSeat]:
    """Rows of seats that have an owner or are on sale: the seat's own state wins."""
    kept = ReturnedSeat.objects.filter(event_id=event_id)
    return kept.filter(~Q(seat__state=Seat.State.HELD) | Exists(_owned(OuterRef("pk"))))


def standby_list(event_id: int) -> StandbyList | None:
    return StandbyList.objects.filter(pk=event_id).first()


def _owned(seat: OuterRef) -> QuerySet[ReservedSeat]:
    return ReservedSeat.objects.filter(seat=seat, live=True)
