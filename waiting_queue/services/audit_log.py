"""The audit log of a queue: who did what to it, and who is blocked as a result."""

import logging
from datetime import datetime
from typing import Any

from django.utils.timezone import localtime

from ticketing.accounts.models import User
from waiting_queue.models import NOTICE_MAX_LENGTH, QueueChange, SaleQueue

log = logging.getLogger(__name__)
WHY_MAX_LENGTH = 200
PERSON, BLOCKED, UNBLOCKED = "person", "blocked", "unblocked"
REFUSED = "refused"  # of an appeal against a block


def record_change(
    queue: SaleQueue,
    *,
    by: User | None,
    now: datetime,
    what: str,
    before: Any = "",
    after: Any = "",
    why: str = "",
) -> QueueChange:
    """Write one row of the audit log; `by` is None for what the system does by itself."""
    before, after = _as_text(before), _as_text(after)
    log.info("queue %s: %s %s -> %s by %s", queue.pk, what, before, after, by or "the system")
    return QueueChange.objects.create(
        queue=queue, at=now, by=by, what=what, before=before, after=after, why=why[:WHY_MAX_LENGTH]
    )


def about_person(person: str) -> str:
    """Return the `what` of a change to a person: their id, since the log outlives their address."""
    return f"{PERSON} {person}"


def blocked_people(event_id: int) -> dict[str, str]:
    """Return the reason for each blocked person, by person, in case Redis has lost the blocks."""
    changes = QueueChange.objects.filter(queue_id=event_id, what__startswith=f"{PERSON} ")
    last: dict[str, tuple[str, str]] = {}
    for what, after, why in changes.order_by("id").values_list("what", "after", "why"):
        if after in (BLOCKED, UNBLOCKED):
            last[what.removeprefix(f"{PERSON} ")] = (after, why)
    return {person: why for person, (after, why) in last.items() if after == BLOCKED}


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return localtime(value).isoformat(sep=" ", timespec="minutes")
    return str(value)[:NOTICE_MAX_LENGTH]
