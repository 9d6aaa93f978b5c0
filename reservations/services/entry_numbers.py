"""Entry numbers of standing sections: in the order of sale, or drawn after it.

They are given a moment after the sale and not in its statement: one counter would let all buyers of
a section wait for each other.
"""

from collections.abc import Collection
from datetime import datetime
from secrets import token_hex

from django.db import transaction

from reservations import locks, selectors
from reservations.errors import NoEntryNumbers
from reservations.models import EntryCall
from ticketing.accounts.models import User
from ticketing.events.models import Event
from ticketing.events.services.changes import record_change


def assign_entry_numbers(*, now: datetime, event_ids: Collection[int] | None = None) -> int:
    """Number standing tickets that have no number yet; of these events, or of all.

    Drawn are all that were sold until the sale is closed, or until the day before the doors open.
    Who buys later comes after them.
    """
    return sum(_assign(event, now) for event in selectors.events_to_number(now, event_ids))


@transaction.atomic
def _assign(event: Event, now: datetime) -> int:
    """A draw orders by hashes of the tickets' codes and a seed, which is recorded."""
    locks.lock_entry_numbers(event.pk)
    is_drawn = event.entry_numbers == Event.EntryNumbers.DRAWN
    seed = token_hex(16) if is_drawn and not selectors.has_entry_numbers(event.pk) else ""
    count = locks.assign_entry_numbers(event_id=event.pk, seed=seed)
    if seed and count:
        values = {"what": "entry_numbers", "after": str(count), "why": f"seed {seed}"}
        record_change(event_id=event.pk, by=None, now=now, **values)
    return count


@transaction.atomic
def call_numbers(*, event_id: int, section: str, upto: int, by: User, now: datetime) -> EntryCall:
    """Let the numbers of a section in up to this one; doors warn of all others."""
    found = selectors.numbered_sections(event_id).filter(code=section).first()
    if found is None:
        raise NoEntryNumbers()
    locks.lock_entry_numbers(event_id)  # of two presses, the second finds the first
    if call := EntryCall.objects.filter(event_id=event_id, section=found, upto=upto).first():
        return call
    values = {"upto": upto, "at": now, "by": by}
    call, _ = EntryCall.objects.update_or_create(event_id=event_id, section=found, defaults=values)
    record_change(
        event_id=event_id, what=f"called {found.code}"[:40], after=str(upto), by=by, now=now
    )
    return call
