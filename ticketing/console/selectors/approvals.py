"""Requests under the two-person rule."""

from datetime import datetime

from django.db.models import QuerySet

from ticketing.core.errors import NotFound
from ticketing.events.models import Approval, EventChange


def approvals() -> QuerySet[Approval]:
    return Approval.objects.select_related("event", "asked_by", "answered_by")


def open_approvals(now: datetime) -> QuerySet[Approval]:
    """Those that wait for a second person, the oldest first."""
    waiting = approvals().filter(state=Approval.State.ASKED, expires_at__gt=now)
    return waiting.order_by("pk")


def approval_of(approval_id: int) -> Approval:
    found = approvals().filter(pk=approval_id).first()
    if found is None:
        raise NotFound()
    return found


def answer_reason(approval: Approval) -> str:
    """Why it was refused or withdrawn, as the audit trail has it."""
    if approval.answered_at is None:
        return ""
    answers = EventChange.objects.filter(
        event_id=approval.event_id,
        what=f"approval {approval.action}",
        at=approval.answered_at,
        after=approval.state,
    )
    return answers.values_list("why", flat=True).first() or ""
