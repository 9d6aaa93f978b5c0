"""Carries out what a second person approves, in the transaction of the approval."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction

from ticketing.accounts.models import User
from ticketing.console.services.roles import CLOSE_QUEUE, FREEZE_SEATS
from ticketing.core.errors import NotAllowed
from ticketing.events import services as events
from ticketing.events.models import Approval, Event
from waiting_queue import services as queues

Action = Approval.Action
# Who may approve what.
PERMISSIONS = {
    Action.REFUND_EVENT: "payments.refund_payment",
    Action.CLOSE_SALE: CLOSE_QUEUE,
    Action.FREEZE_SEATS: FREEZE_SEATS,
}


def may_answer(user: User, approval: Approval) -> bool:
    return user.has_perm(PERMISSIONS[Action(approval.action)])


def roles_that_may_answer(approval: Approval) -> list[str]:
    app, codename = PERMISSIONS[Action(approval.action)].split(".")
    allowed = {"permissions__content_type__app_label": app, "permissions__codename": codename}
    return list(Group.objects.filter(**allowed).order_by("name").values_list("name", flat=True))


@transaction.atomic
def approve(*, approval_id: int, by: User, now: datetime) -> Approval:
    """Approve and do it: both or neither, and once."""
    approval = events.take_approval(approval_id=approval_id, by=by, now=now)
    if not may_answer(by, approval):
        raise NotAllowed()
    CARRY_OUT[Action(approval.action)](approval, now)
    return approval


def refuse(*, approval_id: int, by: User, why: str, now: datetime) -> Approval:
    """Whoever asked may withdraw; others need the permission to approve."""
    approval = Approval.objects.filter(pk=approval_id).first()
    if approval and approval.asked_by_id != by.pk and not may_answer(by, approval):
        raise NotAllowed()
    return events.refuse_approval(approval_id=approval_id, by=by, why=why, now=now)


def _close_sale(approval: Approval, now: datetime) -> None:
    asked: dict[str, Any] = {"event_id": approval.event_id, "by": approval.asked_by, "now": now}
    if "ends" in approval.wish:
        queues.close_sale(ends=approval.wish["ends"], why=approval.why, **asked)
    else:
        events.move_event(to=Event.State.CLOSED, reason=approval.why, **asked)


def _refund_event(approval: Approval, now: datetime) -> None:
    """Cancel the event, if that was asked for. The worker begins the refunds."""
    if "to" in approval.wish:
        events.move_event(
            event_id=approval.event_id,
            to=Event.State.CANCELLED,
            by=approval.asked_by,
            reason=approval.why,
            now=now,
        )


def _freeze_seats(approval: Approval, now: datetime) -> None:
    events.block_seats(
        event_id=approval.event_id,
        seat_ids=approval.wish["seats"],
        by=approval.asked_by,
        reason=approval.why,
        now=now,
    )


CARRY_OUT: dict[Approval.Action, Callable[[Approval, datetime], None]] = {
    Action.CLOSE_SALE: _close_sale,
    Action.REFUND_EVENT: _refund_event,
    Action.FREEZE_SEATS: _freeze_seats,
}
