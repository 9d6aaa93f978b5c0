"""The audit log of a queue: who did what to it, and who is blocked as a result."""

import logging
from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.timezone import localtime

from ticketing.accounts.models import User
from ticketing.core.prepared_queries import PreparedQuery, ids_text, is_any_of
from waiting_queue.models import NOTICE_MAX_LENGTH, QueueChange, SaleQueue

log = logging.getLogger(__name__)
WHY_MAX_LENGTH = 200
PERSON, BLOCKED, UNBLOCKED = "person", "blocked", "unblocked"
DEMOTED, RESTORED = "demoted", "restored"
ASKED, UNASKED = "asked", "unasked"  # to verify who they are
GROUP = "group: "  # begins the reason of what the system does about a group
VERIFIED = "verified"  # reason why the system undoes that
EVIDENCE = "evidence"  # what was exported
BYPASSING, BYPASS_ENDED = "bypass", "bypass_ended"
NO_PUBLIC_VALUE = "public_value_missing"  # reason of what the system writes at the opening
REFUSED = "refused"  # of an appeal against a block
LANE, LANE_KEYS = "lane_", "lane_keys_"  # each with the lane's number


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
    changes = last_changes([event_id], BLOCKED, UNBLOCKED)[event_id]
    return {person: change.why for person, change in changes.items()}


def demoted_people(event_id: int) -> dict[str, QueueChange]:
    """Return the last demotion of everybody who was not given their place back."""
    return last_changes([event_id], DEMOTED, RESTORED)[event_id]


def asked_people(event_id: int) -> dict[str, QueueChange]:
    """Return the last request to everybody who still has to verify who they are."""
    return last_changes([event_id], ASKED, UNASKED)[event_id]


def people_of_groups(event_id: int, *done: str) -> set[str]:
    """Return whom the system has ever done this to, also if it was undone since."""
    changes = QueueChange.objects.filter(queue_id=event_id, by=None, why__startswith=GROUP)
    named = changes.filter(after__in=done).values_list("what", flat=True)
    return {what.removeprefix(f"{PERSON} ") for what in named}


_CHANGES = PreparedQuery(
    lambda it: QueueChange.objects.filter(
        Q(after=it("done")) | Q(after=it("undone")),
        is_any_of("queue_id", it("events")),
        what__startswith=f"{PERSON} ",
    ).order_by("id")
)


def last_changes(
    event_ids: Collection[int], done: str, undone: str
) -> dict[int, dict[str, QueueChange]]:
    """Return by event and person the last change that did this, unless a later one has undone it.

    One statement for all events, because all of them are asked every few seconds.
    """
    last = defaultdict[int, dict[str, QueueChange]](dict)
    for change in _CHANGES.all(events=ids_text(event_ids), done=done, undone=undone):
        last[change.queue_id][change.what.removeprefix(f"{PERSON} ")] = change
    return {
        event_id: {who: change for who, change in last[event_id].items() if change.after == done}
        for event_id in event_ids
    }


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return localtime(value).isoformat(sep=" ", timespec="minutes")
    return str(value)[:NOTICE_MAX_LENGTH]
