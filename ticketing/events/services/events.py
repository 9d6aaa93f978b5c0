"""Events move through their states."""

import logging
from datetime import datetime

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.events import store
from ticketing.events.errors import NoSeats
from ticketing.events.locks import due_events_for_update, event_for_update
from ticketing.events.models import Event, EventChange

log = logging.getLogger(__name__)


@transaction.atomic
def move_event(
    *, event_id: int, to: Event.State, by: User | None, reason: str = "", now: datetime
) -> Event:
    """Take an event to another state, and note who did it."""
    event = event_for_update(event_id)
    _move(event, to=to, by=by, reason=reason, now=now)
    return event


@transaction.atomic
def open_due_sales(*, now: datetime) -> list[Event]:
    """Open the sales whose time has come. Twice at once, late or again: each opens once."""
    due = [event for event in due_events_for_update(now) if event.seats.exists()]
    for event in due:
        _move(event, to=Event.State.ON_SALE, by=None, reason="", now=now)
    return due


def _move(event: Event, *, to: Event.State, by: User | None, reason: str, now: datetime) -> None:
    before = event.state
    event.move_to(to)
    if to == Event.State.ON_SALE and not event.seats.exists():
        raise NoSeats()
    event.save(update_fields=["state"])
    EventChange.objects.create(
        event=event, at=now, by=by, what="state", before=before, after=to, why=reason
    )
    log.info("event %s: %s -> %s by %s", event.pk, before, to, by or "the clock")
    transaction.on_commit(lambda: store.seats_changed(event.pk), robust=True)
