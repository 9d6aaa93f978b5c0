"""Row locks of events and seats: always in the order of their keys."""

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
    """These seats of the event, locked; refused as a whole if one isn't the event's."""
    wanted = set(seat_ids)
    seats = list(
        Seat.objects.select_for_update().filter(event_id=event_id, pk__in=wanted).order_by("pk")
    )
    if len(seats) != len(wanted):
        raise NotFound()
    return seats


def due_events_for_update(now: datetime) -> list[Event]:
    """Announced events whose sale opens now; one that somebody else is moving is left to them."""
    due = Event.objects.filter(state=Event.State.ANNOUNCED, on_sale_at__lte=now)
    return list(due.select_for_update(skip_locked=True).order_by("pk"))
