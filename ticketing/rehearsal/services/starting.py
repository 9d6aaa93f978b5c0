"""A rehearsal begins: one at a time, on a copy that is made for it."""

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from ticketing.accounts import services as accounts
from ticketing.accounts.models import User
from ticketing.core.errors import NotFound
from ticketing.events.models import Event
from ticketing.events.selectors import new_rehearsal_id
from ticketing.events.services.changes import record_change
from ticketing.rehearsal import selectors
from ticketing.rehearsal.errors import AnotherRehearsal, RehearsalOfRehearsal
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.copying import copy_event

# Beyond the minutes of the sale: for the lobby, the judging and the report.
TOKEN_LASTS = timedelta(hours=6)
TOKEN_NAME = "Rehearsal"  # noqa: S105 - what people read in their list of tokens


@transaction.atomic
def start(
    *, event_id: int | None, options: dict[str, Any], by: User | None, now: datetime
) -> Rehearsal:
    """Copy the event and begin; of two who start at once, one does."""
    source = _source(event_id)
    number = new_rehearsal_id()
    rehearsal = _only_one(source, number, options, by, now)
    copy_event(source=source, number=number, knobs=options.get("knobs") or {}, by=by, now=now)
    record_change(event_id=source.pk, what="rehearsal", after=rehearsal.code, by=by, now=now)
    return rehearsal


def mint_token(*, user: User, now: datetime) -> str:
    """For the program that runs a rehearsal on this machine; it ends by itself."""
    return accounts.issue_temporary_token(
        user=user, name=TOKEN_NAME, until=now + TOKEN_LASTS, now=now
    )


def _source(event_id: int | None) -> Event:
    if event_id is None:
        return selectors.next_sale()
    found = Event.objects.filter(pk=event_id).first()
    if found is None:
        raise NotFound()
    if found.is_rehearsal:
        raise RehearsalOfRehearsal()
    return found


def _only_one(
    source: Event, number: int, options: dict[str, Any], by: User | None, now: datetime
) -> Rehearsal:
    about = {"source": source, "copy": number, "options": options, "started_by": by}
    try:
        with transaction.atomic():
            return Rehearsal.objects.create(**about, started_at=now, heard_at=now)
    except IntegrityError:
        raise AnotherRehearsal(code=selectors.code_under_way()) from None
