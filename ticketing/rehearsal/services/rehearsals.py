"""Start a rehearsal: one at a time, on a copy of the event made for it."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from ticketing.accounts.models import User
from ticketing.core.errors import NotFound
from ticketing.events.models import Event
from ticketing.events.selectors import new_rehearsal_id
from ticketing.events.services.changes import record_change
from ticketing.rehearsal import selectors
from ticketing.rehearsal.errors import RehearsalAlreadyRunning, RehearsalOfRehearsal
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.event_copies import copy_event


@transaction.atomic
def start_rehearsal(
    *, event_id: int | None, options: dict[str, Any], by: User | None, now: datetime
) -> Rehearsal:
    """Copy the event and start; of two simultaneous starts one is refused."""
    source = _source_event(event_id)
    copy_id = new_rehearsal_id()
    fields = {"source": source, "copy": copy_id, "options": options, "started_by": by}
    try:
        with transaction.atomic():
            rehearsal = Rehearsal.objects.create(**fields, started_at=now, heard_at=now)
    except IntegrityError:
        raise RehearsalAlreadyRunning(code=selectors.code_under_way()) from None
    knobs = options.get("knobs") or {}
    level = options.get("identity_level")
    copy_event(source=source, copy_id=copy_id, knobs=knobs, identity_level=level, by=by, now=now)
    record_change(event_id=source.pk, what="rehearsal", after=rehearsal.code, by=by, now=now)
    return rehearsal


def _source_event(event_id: int | None) -> Event:
    if event_id is None:
        return selectors.next_sale()
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        raise NotFound()
    if event.is_rehearsal:
        raise RehearsalOfRehearsal()
    return event
