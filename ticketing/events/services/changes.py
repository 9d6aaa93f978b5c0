"""The change history of events."""

from datetime import datetime

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.events import store
from ticketing.events.models import EventChange

LONGEST_VALUE = 200


def record_change(
    *,
    event_id: int,
    what: str,
    before: str = "",
    after: str,
    by: User | None,
    why: str = "",
    now: datetime,
) -> EventChange:
    """Add a row to the event's history and, after the commit, outdate copies of the seat list."""
    change = EventChange.objects.create(
        event_id=event_id,
        at=now,
        by=by,
        what=what[:40],
        before=before[:LONGEST_VALUE],
        after=after[:LONGEST_VALUE],
        why=why,
    )
    transaction.on_commit(lambda: store.renew_seats_version(event_id), robust=True)
    return change
