"""What operators do to one person in a line: move out, block, unblock.

The audit row is committed first and Redis changed after it, so that nobody is moved out without a
row. If Redis or this process fails in between, `reconcile_blocks` makes blocks true; a kick is
repeated by the operator, who sees the error or the person still in line.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue import errors, store
from waiting_queue.locks import free_queue_for_update, queue_for_update
from waiting_queue.models import BlockAppeal, SaleQueue
from waiting_queue.selectors.tick_queues import started_events
from waiting_queue.services.audit_log import (
    BLOCKED,
    UNBLOCKED,
    WHY_MAX_LENGTH,
    about_person,
    blocked_people,
    last_changes,
    record_change,
)

IN_LINE = frozenset({"lobby", "waiting", "ready", "admitted"})


def kick(*, event_id: int, person: str, by: User | None, why: str = "", now: datetime) -> str:
    """Move somebody out; they may join again at the end. Return the state they were in."""
    with transaction.atomic():
        queue = queue_for_update(event_id)
        before = store.run(store.peek(event_id, person, now)).state
        if before not in IN_LINE:
            raise errors.PersonNotInLine()
        what = about_person(person)
        record_change(queue, by=by, now=now, what=what, before=before, after="left", why=why)
    return _move_out(event_id, person, "left", "", now)


def block(*, event_id: int, person: str, by: User | None, why: str, now: datetime) -> str:
    """Move somebody out for good; they read the reason. Return the state they were in."""
    require_reason(why)
    with transaction.atomic():
        queue = queue_for_update(event_id)
        if queue.state == SaleQueue.State.CLOSED:
            raise errors.QueueOver()
        before = store.run(store.peek(event_id, person, now)).state
        what = about_person(person)
        record_change(queue, by=by, now=now, what=what, before=before, after=BLOCKED, why=why)
    return _move_out(event_id, person, BLOCKED, why, now)


def unblock(*, event_id: int, person: str, by: User | None, why: str = "", now: datetime) -> None:
    """Let a blocked person join again, and close their open appeal."""
    with transaction.atomic():
        queue = queue_for_update(event_id)
        if store.block_reason(event_id, person) is None:
            raise errors.PersonNotBlocked()
        what = about_person(person)
        record_change(queue, by=by, now=now, what=what, before=BLOCKED, after=UNBLOCKED, why=why)
        grant_open_appeal(queue, person, by=by, why=why, now=now)
    store.unblock(event_id, person)


def grant_open_appeal(
    queue: SaleQueue, person: str, *, by: User | None, why: str, now: datetime
) -> None:
    """Close the appeal that is open, if there is one; under the lock of the queue."""
    appeals = BlockAppeal.objects.filter(queue=queue, person_id=int(person))
    answer = {"answer": why[:WHY_MAX_LENGTH], "answered_by": by, "answered_at": now}
    appeals.filter(state=BlockAppeal.State.OPEN).update(state=BlockAppeal.State.LIFTED, **answer)


def require_reason(why: str) -> None:
    if not why.strip() or len(why) > WHY_MAX_LENGTH:
        message = _("Say why, in at most %(most)s letters: the person reads it.")
        raise InvalidInput(fields={"why": [message % {"most": WHY_MAX_LENGTH}]})


def reconcile_blocks(*, now: datetime) -> int:
    """Make the blocks in Redis those of the audit log; return how many were wrong."""
    known = store.blocks_of_each(started_events())
    true = last_changes(known, BLOCKED, UNBLOCKED)
    wrong = [event_id for event_id in known if known[event_id].keys() != true[event_id].keys()]
    return sum(_reconcile_blocks(event_id, now) for event_id in wrong)


@transaction.atomic
def _reconcile_blocks(event_id: int, now: datetime) -> int:
    """Under the lock of the queue, so that nobody is blocked or unblocked meanwhile."""
    if free_queue_for_update(event_id) is None:
        return 0
    known, true = store.blocks(event_id), blocked_people(event_id)
    missing = [person for person in true if person not in known]
    for person in missing:
        _move_out(event_id, person, BLOCKED, true[person], now)
    lifted = known.keys() - true.keys()
    for person in lifted:
        store.unblock(event_id, person)
    return len(missing) + len(lifted)


def _move_out(event_id: int, person: str, how: str, why: str, now: datetime) -> str:
    was = store.run(store.leave(event_id, person, now, how=how, why=why))
    if was != "none":
        store.run(store.remove_membership(event_id, person))
    return was
