"""Row locks of events, plans and seats, always taken in primary key order."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from ticketing.core.errors import NotFound
from ticketing.core.prepared_queries import PreparedQuery
from ticketing.events.models import Approval, Event, Seat, SeatPlan


def event_for_update(event_id: int) -> Event:
    event = Event.objects.select_for_update().filter(pk=event_id).first()
    if event is None:
        raise NotFound()
    return event


def approval_for_update(approval_id: int) -> Approval:
    """Before all other locks, as its approval carries out what takes them."""
    approvals = Approval.objects.select_for_update(of=("self",)).select_related("event", "asked_by")
    approval = approvals.filter(pk=approval_id).first()
    if approval is None:
        raise NotFound()
    return approval


def seats_for_update(event_id: int, seat_ids: Collection[int]) -> list[Seat]:
    """These seats, locked; NotFound if one of them does not belong to the event."""
    wanted = set(seat_ids)
    seats = list(
        Seat.objects.select_for_update().filter(event_id=event_id, pk__in=wanted).order_by("pk")
    )
    if len(seats) != len(wanted):
        raise NotFound()
    return seats


def plan_for_update(plan_id: int) -> SeatPlan:
    """Locked by whoever edits a plan or copies its places into seats."""
    plan = SeatPlan.objects.select_for_update().filter(pk=plan_id).first()
    if plan is None:
        raise NotFound()
    return plan


def _due_events(now: Any) -> QuerySet[Event]:
    """Announced events whose sale is due and has a line, or is meant to have none."""
    due = Event.objects.filter(state=Event.State.ANNOUNCED, on_sale_at__lte=now)
    return due.filter(Q(without_line=True) | Q(queue__isnull=False))


_ONE_DUE_EVENT = PreparedQuery(lambda it: _due_events(it("now")).only("pk").order_by()[:1])


def has_due_event(now: datetime) -> bool:
    """Whether there is one of these events; asked every second."""
    return bool(_ONE_DUE_EVENT.all(now=now))


def due_events_for_update(now: datetime) -> list[Event]:
    """These events; rows that another transaction has locked are skipped."""
    due = _due_events(now).select_for_update(skip_locked=True, of=("self",))
    return list(due.order_by("pk"))
