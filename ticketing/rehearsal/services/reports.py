"""What the runner reads at the end of a rehearsal, and the report that it hands in."""

import json
from datetime import datetime
from typing import Any

from django.db import transaction

from payments import services as payments
from ticketing.rehearsal import gateway_ledger, selectors
from ticketing.rehearsal.locks import rehearsal_for_update
from ticketing.rehearsal.models import Rehearsal
from ticketing.rehearsal.services.runner_contact import running_rehearsal
from waiting_queue import services as queues

State = Rehearsal.State


@transaction.atomic
def save_report(
    *, code: str, ok: bool, summary: dict[str, Any], html: str, report: Any, now: datetime
) -> Rehearsal:
    """Save a report. It comes after the clean-up, which it judges too; `stopped` stays."""
    rehearsal = rehearsal_for_update(code)
    if rehearsal.state == State.RUNNING:
        rehearsal.move_to(State.PASSED if ok else State.FAILED)
    rehearsal.summary, rehearsal.html, rehearsal.json = summary, html, json.dumps(report)
    rehearsal.finished_at = rehearsal.finished_at or now
    rehearsal.save(update_fields=["state", "summary", "html", "json", "finished_at"])
    return rehearsal


def complete_journal(*, code: str, after: int, now: datetime) -> dict[str, Any]:
    """The journal, with what is still in Redis and, for a closed queue, everybody's end."""
    rehearsal = running_rehearsal(code, now=now)
    queues.drain_journal(event_id=rehearsal.copy)
    is_unarchived = selectors.is_closed_and_unarchived(rehearsal)
    if is_unarchived and queues.archive_queue(event_id=rehearsal.copy, now=now):
        queues.send_closing_message(event_id=rehearsal.copy, now=now)
    return selectors.journal(rehearsal, after=after, now=now)


def final_facts(*, code: str, now: datetime) -> dict[str, Any]:
    """The sale's final rows. Late and unknown charges are settled now instead of in minutes."""
    rehearsal = running_rehearsal(code, now=now)
    late = selectors.late_charges(rehearsal) if gateway_ledger.is_sandbox() else []
    for number in (*late, *selectors.unknown_charges(rehearsal)):
        payments.settle_soon(number, now)
    rows = selectors.facts(rehearsal.copy)
    return rows | {"settled": rows["settled"] and not late}
