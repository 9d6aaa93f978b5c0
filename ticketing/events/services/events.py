"""State changes of events."""

import logging
from datetime import datetime

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.events.errors import NoSeats
from ticketing.events.locks import due_events_for_update, event_for_update, has_due_event
from ticketing.events.models import Event
from ticketing.events.services.changes import record_change

log = logging.getLogger(__name__)
NEEDS_SEATS = (Event.State.ANNOUNCED, Event.State.ON_SALE)


@transaction.atomic
def move_event(
    *, event_id: int, to: Event.State, by: User | None, reason: str = "", now: datetime
) -> Event:
    """Move an event to another state and record who did it."""
    event = event_for_update(event_id)
    _move(event, to=to, by=by, reason=reason, now=now)
    return event


def open_due_sales(*, now: datetime) -> list[Event]:
    """Open the sales that are due. Late, repeated or concurrent calls open each sale once.

    A sale needs seats, and a line or the operator's word that it has none.
    """
    return _open_due_sales(now) if has_due_event(now) else []


@transaction.atomic
def sell_without_line(*, event_id: int, by: User | None, now: datetime) -> None:
    """Let the sale of this event open by the clock although it has no queue."""
    event = event_for_update(event_id)
    event.without_line = True
    event.save(update_fields=["without_line"])
    record_change(event_id=event_id, what="edited", after="without_line", by=by, now=now)


@transaction.atomic
def _open_due_sales(now: datetime) -> list[Event]:
    due = [event for event in due_events_for_update(now) if event.seats.exists()]
    for event in due:
        _move(event, to=Event.State.ON_SALE, by=None, reason="", now=now)
    return due


def _move(event: Event, *, to: Event.State, by: User | None, reason: str, now: datetime) -> None:
    before = event.state
    event.move_to(to)
    if to in NEEDS_SEATS and not event.seats.exists():
        raise NoSeats()
    event.save(update_fields=["state"])
    record_change(
        event_id=event.pk, what="state", before=before, after=to, by=by, why=reason, now=now
    )
    log.info("event %s: %s -> %s by %s", event.pk, before, to, by.pk if by else "the schedule")
