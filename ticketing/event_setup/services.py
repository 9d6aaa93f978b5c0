"""Duplicate an event: its texts, plan, prices and rules, with its times moved to another day."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from payments.models import RefundPolicy
from ticketing.accounts.models import User
from ticketing.core.errors import NotFound
from ticketing.events.models import Event, Grade
from ticketing.events.services import event_for_update
from ticketing.events.services.changes import record_change
from waiting_queue import services as queues
from waiting_queue.models import KNOBS, Lane, SaleQueue

NOT_COPIED = ("id", "state", "created_at", "rehearsal_of")
TIMES = ("on_sale_at", "doors_at", "starts_at", "ends_at", "returns_at")
QUEUE_TIMES = ("lobby_opens_at", "opens_at")
DUPLICATED = "duplicated"


@dataclass(frozen=True)
class Author:
    """Who duplicates the event, and when."""

    by: User | None
    now: datetime


@transaction.atomic
def duplicate_event(
    *, event_id: int, titles: dict[str, str], starts_at: datetime, by: User | None, now: datetime
) -> Event:
    """Create a draft like this event; no seats, orders or people, and no keys of its lanes."""
    source = event_for_update(event_id)
    if source.is_rehearsal:
        raise NotFound()
    shift, author = starts_at - source.starts_at, Author(by, now)
    copy = _copy_event(source, titles, shift)
    grades = _copy_grades(source, copy)
    _copy_refund_policy(source, copy)
    queue = SaleQueue.objects.filter(pk=source.pk).first()
    if queue is not None:
        _copy_queue(queue, copy, shift, grades, author)
    record_change(
        event_id=copy.pk, what=DUPLICATED, before=f"#{source.pk}", after=copy.title, by=by, now=now
    )
    return copy


def _copy_event(source: Event, titles: dict[str, str], shift: timedelta) -> Event:
    fields = {
        field.attname: getattr(source, field.attname)
        for field in Event._meta.concrete_fields
        if field.name not in NOT_COPIED
    }
    copy: Event = Event.objects.create(**fields | _shifted(source, TIMES, shift) | titles)
    return copy


def _copy_grades(source: Event, copy: Event) -> dict[int, Grade]:
    """The copies by the ids of their originals."""
    grades = {}
    for grade in source.grades.all():
        original, grade.pk, grade.event = grade.pk, None, copy
        grade.save(force_insert=True)
        grades[original] = grade
    return grades


def _copy_refund_policy(source: Event, copy: Event) -> None:
    policy = RefundPolicy.objects.filter(event=source).first()
    if policy:
        policy.pk, policy.event = None, copy
        policy.save(force_insert=True)


def _copy_queue(
    source: SaleQueue, copy: Event, shift: timedelta, grades: dict[int, Grade], author: Author
) -> None:
    audit: dict[str, Any] = {"by": author.by, "now": author.now}
    knobs = {name: getattr(source, name) for name in KNOBS} | _shifted(source, QUEUE_TIMES, shift)
    queues.create_queue(event_id=copy.pk, **audit, **knobs)
    for lane in source.lanes.prefetch_related("grades", "sections"):
        names = {name: getattr(lane, name) for name in ("name_ko", "name_en", "key", "weight")}
        limits = {
            "grades": [grades[grade.pk] for grade in lane.grades.all()],
            "sections": list(lane.sections.all()),
        }
        new = Lane(queue_id=copy.pk, **names, **_shifted(lane, ("opens_at",), shift))
        queues.save_lane(lane=new, limits=limits, **audit)


def _shifted(source: Any, names: tuple[str, ...], shift: timedelta) -> dict[str, Any]:
    times = {name: getattr(source, name) for name in names}
    return {name: time and time + shift for name, time in times.items()}
