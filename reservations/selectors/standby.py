"""Standby lists: who waits at which place, and which returned seats can be offered."""

from collections.abc import Collection, Sequence
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
from ticketing.core.prepared_queries import PreparedQuery, ids_text
from ticketing.core.sql import rows
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
# Entries and events that are handled in one run of the task, which runs again in seconds.
BATCH = 200
WITH_RETURNED_SEATS = "SELECT DISTINCT event_id FROM reservations_returnedseat ORDER BY event_id"
# As `open_holds`; every tick asks it while seats run out.
COUNT_HOLDERS = """
SELECT hold.event_id, count(DISTINCT hold.fan_id) AS holders
FROM reservations_reservation AS hold
WHERE hold.event_id = ANY(%(events)s::bigint[]) AND hold.state IN ('held', 'paying')
AND NOT EXISTS (SELECT FROM reservations_standbyentry WHERE reservation_id = hold.id)
GROUP BY hold.event_id
"""


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
    seats = kept.values_list(*fields, "section__kind")[:MAX_RETURNED_SEATS]
    return [
        FreeSeat(pk, grade, section, row, (x, y), kind == Section.Kind.STANDING)
        for pk, grade, section, row, x, y, kind in seats
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


def count_holders(*, event_ids: Collection[int], **_: Any) -> dict[int, int]:
    """How many people of each event hold seats that they have not paid for; the queue asks."""
    found = rows(COUNT_HOLDERS, {"events": ids_text(event_ids)})
    return {row["event_id"]: row["holders"] for row in found}


def sold_out_events_without_list() -> list[Event]:
    return _WITHOUT_LIST.all()


def _sold_out_without_list() -> QuerySet[Event]:
    kept = ReturnedSeat.objects.filter(event_id=OuterRef("pk"))
    sold_out = Q(state=Event.State.SOLD_OUT) | Exists(kept)
    events = Event.objects.filter(state__in=RUNNING).exclude(returns=Event.Returns.AT_ONCE)
    left_over = Event.objects.filter(Exists(kept))
    return (events.filter(sold_out) | left_over).filter(standby=None).order_by("pk")


def events_with_returned_seats() -> list[int]:
    return [row["event_id"] for row in rows(WITH_RETURNED_SEATS, {})]


def unsettled_offers() -> list[StandbyEntry]:
    """Offered entries whose reservation has ended."""
    return _UNSETTLED.all()


def entries_of_ended_sales() -> list[StandbyEntry]:
    """Waiting entries of events whose sale has ended."""
    return _OF_ENDED_SALES.all()


def entries_of_blocked_fans() -> list[StandbyEntry]:
    """Waiting entries of fans whom an operator blocked after they joined."""
    return _OF_BLOCKED_FANS.all()


def _of_blocked_fans() -> QuerySet[StandbyEntry]:
    blocked = QueueJournal.objects.filter(
        event_id=OuterRef("event_id"),
        person=OuterRef("fan_id"),
        kind=QueueJournal.Kind.BLOCKED,
        at__gt=OuterRef("created_at"),
    )
    return StandbyEntry.objects.filter(Exists(blocked), state=State.WAITING)


# Asked every few seconds, whether or not anybody is on a list.
_WITHOUT_LIST = PreparedQuery(lambda it: _sold_out_without_list()[:BATCH])
_UNSETTLED = PreparedQuery(
    lambda it: (
        StandbyEntry.objects.filter(state=State.OFFERED)
        .exclude(reservation__state__in=["held", "paying"])
        .order_by("pk")[:BATCH]
    )
)
_OF_ENDED_SALES = PreparedQuery(
    lambda it: (
        StandbyEntry.objects.filter(state=State.WAITING)
        .exclude(event__state__in=RUNNING)
        .order_by("pk")[:BATCH]
    )
)
_OF_BLOCKED_FANS = PreparedQuery(lambda it: _of_blocked_fans().order_by("pk")[:BATCH])


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
