"""Row locks of events and seats, always taken in primary key order."""

from collections.abc import Collection
from datetime import datetime

from ticketing.core.errors import NotFound
from ticketing.events.models import Event, Seat


def event_for_update(event_id: int) -> Event:
    event = Event.objects.select_for_update().filter(pk=event_id).first()
    if event is None:
        raise NotFound()
    return event


def seats_for_update(event_id: int, seat_ids: Collection[int]) -> list[Seat]:
    """These seats, locked; NotFound if one of them does not belong to the event."""
    wanted = set(seat_ids)
    seats = list(
        Seat.objects.select_for_update().filter(event_id=event_id, pk__in=wanted).order_by("pk")
    )
    if len(seats) != len(wanted):
        raise NotFound()
    return seats


def due_events_for_update(now: datetime) -> list[Event]:
    """Announced events whose sale is due; rows that another transaction has locked are skipped."""
    due = Event.objects.filter(state=Event.State.ANNOUNCED, on_sale_at__lte=now)
    return list(due.select_for_update(skip_locked=True).order_by("pk"))
