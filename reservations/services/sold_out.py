"""The sale says by itself that it is sold out, and that seats are on sale again."""

from contextlib import suppress
from datetime import datetime

from django.db import transaction

from reservations.selectors import standby
from reservations.services.standby_entries import open_list
from ticketing.events import selectors as events
from ticketing.events.models import Event
from ticketing.events.services import event_for_update, move_event
from waiting_queue.errors import QueueUnavailable

State = Event.State


def update_sold_out(*, now: datetime) -> None:
    """Move every sale whose last seat was sold to sold out, and back once seats are free again.

    A seat that is returned, or taken, at the same moment is noticed by the next run.
    """
    for event in events.events_without_free_seats():
        if standby.is_all_sold(event.pk):
            _move(event, State.SOLD_OUT, now)
    for event in events.sold_out_events_with_free_seats():
        _move(event, State.ON_SALE, now)


@transaction.atomic
def _move(event: Event, to: State, now: datetime) -> None:
    """Decided again under the event's lock: an operator may have moved it meanwhile."""
    current = event_for_update(event.pk)
    free = events.free_seats_up_to(event.pk, 1)
    if current.state != event.state or bool(free) != (to == State.ON_SALE):
        return
    move_event(event_id=event.pk, to=to, by=None, now=now)
    if to == State.SOLD_OUT and event.returns != Event.Returns.AT_ONCE:
        transaction.on_commit(lambda: _open_list(event, now), robust=True)


def _open_list(event: Event, now: datetime) -> None:
    """Now, so that whoever is in line keeps the order; `process_returned_seats` tries again."""
    with suppress(QueueUnavailable):
        open_list(event, now)
