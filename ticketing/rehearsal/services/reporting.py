"""What a rehearsal showed."""

import json
from datetime import datetime
from typing import Any

from django.db import transaction

from payments import services as payments
from ticketing.rehearsal import facts as books
from ticketing.rehearsal import gateway_ledger, selectors
from ticketing.rehearsal.locks import rehearsal_for_update
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.hearing import rehearsal_heard
from waiting_queue import services as queues

State = Rehearsal.State


@transaction.atomic
def keep_report(
    *, code: str, ok: bool, summary: dict[str, Any], html: str, report: Any, now: datetime
) -> Rehearsal:
    """Also after the clean-up, which is part of what is judged. What was stopped stays stopped."""
    rehearsal = rehearsal_for_update(code)
    if rehearsal.state == State.RUNNING:
        rehearsal.move_to(State.PASSED if ok else State.FAILED)
    rehearsal.summary, rehearsal.html, rehearsal.json = summary, html, json.dumps(report)
    rehearsal.finished_at = rehearsal.finished_at or now
    rehearsal.save(update_fields=["state", "summary", "html", "json", "finished_at"])
    return rehearsal


def whole_journal(*, code: str, after: int, now: datetime) -> dict[str, Any]:
    """Copied out of Redis first, so that nothing is missing; also how a closed line ended."""
    rehearsal = rehearsal_heard(code, now=now)
    queues.drain_journal(event_id=rehearsal.copy)
    if selectors.is_ending(rehearsal) and queues.archive_queue(event_id=rehearsal.copy, now=now):
        queues.send_closing_message(event_id=rehearsal.copy, now=now)
    return selectors.journal(rehearsal, after=after, now=now)


def facts(*, code: str, now: datetime) -> dict[str, Any]:
    """The books; money that came late is looked for now, and not in minutes."""
    rehearsal = rehearsal_heard(code, now=now)
    late = selectors.late_charges(rehearsal) if gateway_ledger.is_here() else []
    for number in (*late, *selectors.unknown_charges(rehearsal)):
        payments.settle_soon(number, now)
    found = books.facts(rehearsal.copy)
    return found | {"settled": found["settled"] and not late}
