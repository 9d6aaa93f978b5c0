"""Operators edit an event's words, times and prices; each edit leaves a line in its history."""

from datetime import datetime

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.events import store
from ticketing.events.models import EventChange

LONGEST = 200


@transaction.atomic
def note_edit(
    *, event_id: int, what: str, before: str = "", after: str, by: User | None, now: datetime
) -> EventChange:
    """Write down an edit, and make copies of the seat list stale: it shows prices."""
    transaction.on_commit(lambda: store.seats_changed(event_id), robust=True)
    return EventChange.objects.create(
        event_id=event_id,
        at=now,
        by=by,
        what=what[:40],
        before=before[:LONGEST],
        after=after[:LONGEST],
    )
