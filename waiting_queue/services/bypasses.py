"""The bypass list: people whom an operator lets in without waiting.

The list in PostgreSQL is true; Redis has a copy, which `reconcile_bypasses` corrects.
"""

from collections import defaultdict
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from ticketing.core.prepared_queries import PreparedQuery
from waiting_queue import errors, store
from waiting_queue.locks import queue_for_update
from waiting_queue.models import QueueBypass
from waiting_queue.selectors.tick_queues import started_events
from waiting_queue.services.audit_log import (
    BYPASS_ENDED,
    BYPASSING,
    WHY_MAX_LENGTH,
    about_person,
    record_change,
)

# Each tick looks for all of them in the line.
MAX_BYPASSES = 1_000


def add_bypass(
    *, event_id: int, person: str, by: User | None, why: str, now: datetime
) -> QueueBypass:
    """Let somebody in without waiting when they join; if they wait already, with the next tick."""
    if not why.strip() or len(why) > WHY_MAX_LENGTH:
        message = _("Say why, in at most %(most)s letters.") % {"most": WHY_MAX_LENGTH}
        raise InvalidInput(fields={"why": [message]})
    with transaction.atomic():
        queue = queue_for_update(event_id)
        current = _current(event_id)
        if current.filter(person_id=int(person)).exists():
            raise errors.BypassesAlready()
        if current.count() >= MAX_BYPASSES:
            raise errors.BypassListFull(most=MAX_BYPASSES)
        added = QueueBypass.objects.create(
            queue=queue, person_id=int(person), reason=why, at=now, by=by
        )
        record_change(queue, by=by, now=now, what=about_person(person), after=BYPASSING, why=why)
    write_bypasses(event_id)
    return added


def end_bypass(
    *, event_id: int, person: str, by: User | None, why: str = "", now: datetime
) -> None:
    """From now on they wait like everybody else; whoever is inside stays there."""
    with transaction.atomic():
        queue = queue_for_update(event_id)
        if not _current(event_id).filter(person_id=int(person)).update(ended_at=now):
            raise errors.NoBypass()
        what = about_person(person)
        record_change(
            queue, by=by, now=now, what=what, before=BYPASSING, after=BYPASS_ENDED, why=why
        )
    write_bypasses(event_id)


def write_bypasses(event_id: int) -> None:
    """Copy the list to the line in Redis, if there is one."""
    people = _current(event_id).values_list("person_id", flat=True)
    store.run(store.set_bypass(event_id, [str(person) for person in people]))


_CURRENT = PreparedQuery(
    lambda it: QueueBypass.objects.filter(ended_at=None).only("queue_id", "person_id")
)


def reconcile_bypasses() -> int:
    """Correct the copies in Redis; return how many were wrong."""
    known = store.bypassing_of_each(started_events())
    listed = defaultdict[int, set[str]](set)
    for bypass in _CURRENT.all():
        listed[bypass.queue_id].add(str(bypass.person_id))
    wrong = [event_id for event_id, people in known.items() if people != listed[event_id]]
    for event_id in wrong:
        write_bypasses(event_id)
    return len(wrong)


def _current(event_id: int) -> QuerySet[QueueBypass]:
    return QueueBypass.objects.filter(queue_id=event_id, ended_at=None)
