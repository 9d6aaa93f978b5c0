"""Requests under the two-person rule, and what operators do that may need one.

A request commits before it is refused with `ApprovalNeeded`: callers must not be in a transaction.
"""

import json
from collections.abc import Collection
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db import IntegrityError, transaction

from ticketing.accounts.models import User
from ticketing.events.errors import ApprovalExpired, ApprovalNeeded, OwnRequest
from ticketing.events.locks import approval_for_update
from ticketing.events.models import Approval, Event, EventChange
from ticketing.events.selectors import needs_approval
from ticketing.events.services.events import move_event
from ticketing.events.services.seats import block_seats

Action, State = Approval.Action, Approval.State
EXPIRES_AFTER = timedelta(hours=1)
GUARDED_MOVES = {
    Event.State.CLOSED: Action.CLOSE_SALE,
    Event.State.CANCELLED: Action.REFUND_EVENT,
}


def move_event_by_operator(
    *, event_id: int, to: Event.State, by: User | None, reason: str, now: datetime
) -> Event:
    """Move an event; closing and cancelling it may need a second person."""
    if action := GUARDED_MOVES.get(to):
        wish = {"to": str(to)}
        require_approval(action=action, event_id=event_id, wish=wish, by=by, why=reason, now=now)
    return move_event(event_id=event_id, to=to, by=by, reason=reason, now=now)


def block_seats_by_operator(
    *, event_id: int, seat_ids: Collection[int], by: User | None, reason: str, now: datetime
) -> int:
    """Hold seats back; more than one at a time may need a second person."""
    if len(seat_ids) > 1:
        wish = {"seats": sorted(seat_ids)}
        require_approval(
            action=Action.FREEZE_SEATS, event_id=event_id, wish=wish, by=by, why=reason, now=now
        )
    return block_seats(event_id=event_id, seat_ids=seat_ids, by=by, reason=reason, now=now)


def require_approval(
    *,
    action: Approval.Action,
    event_id: int,
    wish: dict[str, Any],
    by: User | None,
    why: str,
    now: datetime,
) -> None:
    """If a role of this person only asks for it, store the request and raise ApprovalNeeded."""
    if not needs_approval(action=action, event_id=event_id, by=by):
        return
    approval = _ask(action, event_id, wish, by=by, why=why, now=now)
    raise ApprovalNeeded(number=approval.pk)


def _ask(
    action: Approval.Action,
    event_id: int,
    wish: dict[str, Any],
    *,
    by: User | None,
    why: str,
    now: datetime,
) -> Approval:
    """The open request for the same, or a new one."""
    expire_approvals(now=now)
    digest = sha256(json.dumps(wish, sort_keys=True).encode()).hexdigest()
    same = {"event_id": event_id, "action": action, "digest": digest}
    fields = {"wish": wish, "why": why[:200], "asked_by": by, "asked_at": now}
    try:
        with transaction.atomic():
            approval = Approval.objects.create(**same, **fields, expires_at=now + EXPIRES_AFTER)
            _record(approval, before="", by=by, why=why, now=now)
    except IntegrityError:
        return Approval.objects.get(**same, state=State.ASKED)
    return approval


def take_approval(*, approval_id: int, by: User, why: str = "", now: datetime) -> Approval:
    """Approve within the transaction that carries it out: of several people one does."""
    approval = approval_for_update(approval_id)
    if approval.asked_by_id == by.pk:
        raise OwnRequest()
    if approval.state == State.ASKED and not approval.is_open(now):
        raise ApprovalExpired()
    return _answer(approval, State.APPROVED, by=by, why=why, now=now)


@transaction.atomic
def refuse_approval(*, approval_id: int, by: User, why: str = "", now: datetime) -> Approval:
    """Refuse it; whoever asked withdraws it."""
    approval = approval_for_update(approval_id)
    own = approval.asked_by_id == by.pk
    return _answer(approval, State.WITHDRAWN if own else State.REFUSED, by=by, why=why, now=now)


def expire_approvals(*, now: datetime) -> int:
    """End the requests that nobody answered in time."""
    due = Approval.objects.filter(state=State.ASKED, expires_at__lte=now).order_by("pk")
    return sum(_expire(pk, now) for pk in due.values_list("pk", flat=True))


@transaction.atomic
def _expire(approval_id: int, now: datetime) -> int:
    approval = approval_for_update(approval_id)
    if approval.state != State.ASKED:
        return 0  # answered meanwhile
    _answer(approval, State.EXPIRED, by=None, why="", now=now)
    return 1


def finish_approval(*, approval_id: int, now: datetime) -> None:
    """What was approved is done."""
    Approval.objects.filter(pk=approval_id, finished_at=None).update(finished_at=now)


def _answer(
    approval: Approval, to: Approval.State, *, by: User | None, why: str, now: datetime
) -> Approval:
    before = approval.state
    approval.move_to(to)
    approval.answered_by, approval.answered_at = by, now
    approval.save(update_fields=["state", "answered_by", "answered_at"])
    _record(approval, before=before, by=by, why=why, now=now)
    return approval


def _record(approval: Approval, *, before: str, by: User | None, why: str, now: datetime) -> None:
    EventChange.objects.create(
        event_id=approval.event_id,
        at=now,
        by=by,
        what=f"approval {approval.action}",
        before=before,
        after=approval.state,
        why=why[:200],
    )
