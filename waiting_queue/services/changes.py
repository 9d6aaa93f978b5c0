"""The history of a queue: who did what to it, and what still follows from that."""

import logging
from datetime import datetime
from typing import Any

from django.utils.timezone import localtime

from ticketing.accounts.models import User
from waiting_queue.models import LONGEST_NOTICE, QueueChange, SaleQueue

log = logging.getLogger(__name__)
LONGEST = 200
PERSON, BLOCKED, UNBLOCKED = "person", "blocked", "unblocked"
REFUSED = "refused"  # of an appeal against a block


def note_change(
    queue: SaleQueue,
    *,
    by: User | None,
    now: datetime,
    what: str,
    before: Any = "",
    after: Any = "",
    why: str = "",
) -> QueueChange:
    before, after = _words(before), _words(after)
    log.info("queue %s: %s %s -> %s by %s", queue.pk, what, before, after, by or "the system")
    return QueueChange.objects.create(
        queue=queue, at=now, by=by, what=what, before=before, after=after, why=why[:LONGEST]
    )


def about_person(person: str) -> str:
    """People are noted by their number: the history outlives their address."""
    return f"{PERSON} {person}"


def blocked_people(event_id: int) -> dict[str, str]:
    """Who is blocked and why, as far as operators are concerned; Redis may have forgotten it."""
    steps = QueueChange.objects.filter(queue_id=event_id, what__startswith=f"{PERSON} ")
    last: dict[str, tuple[str, str]] = {}
    for what, after, why in steps.order_by("id").values_list("what", "after", "why"):
        if after in (BLOCKED, UNBLOCKED):
            last[what.removeprefix(f"{PERSON} ")] = (after, why)
    return {person: why for person, (after, why) in last.items() if after == BLOCKED}


def _words(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return localtime(value).isoformat(sep=" ", timespec="minutes")
    return str(value)[:LONGEST_NOTICE]
