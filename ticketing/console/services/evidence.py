"""Evidence about a sale for authorities or its organiser: who, what, when, by which rule.

It has everybody about whom operators did something, and everybody in a suspicious group, with the
facts and without a judgement.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction

from reservations.models import Reservation
from ticketing.accounts.models import User
from ticketing.console.selectors.suspicious_groups import people_of, suspicious_groups
from waiting_queue import services as queues
from waiting_queue.models import QueueChange
from waiting_queue.selectors.labels import reason_text
from waiting_queue.services import EVIDENCE

FIELDS = ("at", "person", "email", "name", "what", "rule", "detail", "by")
Row = dict[str, Any]


def export_evidence(*, event_id: int, form: str, by: User, why: str, now: datetime) -> list[Row]:
    """The rows, in order of time. The export is a row of the audit log before anybody reads it."""
    with transaction.atomic():
        queue = queues.queue_for_update(event_id)
        queues.record_change(queue, by=by, now=now, what=EVIDENCE, after=form, why=why)
    rows = [*_actions(event_id), *_groups(event_id, now)]
    rows += _reservations(event_id, {row["person"] for row in rows})
    people = User.objects.in_bulk({row["person"] for row in rows})
    for row in rows:
        user = people.get(row["person"])
        row |= {"email": user.email if user else "", "name": user.display_name if user else ""}
    return [
        {name: row.get(name, "") for name in FIELDS}
        for row in sorted(rows, key=lambda row: (row["at"], row["person"]))
    ]


def _actions(event_id: int) -> Iterator[Row]:
    """What operators did to people, with the reason that they gave."""
    changes = QueueChange.objects.filter(queue_id=event_id, what__startswith="person ")
    for change in changes.select_related("by"):
        person = int(change.what.removeprefix("person "))
        yield {
            "at": change.at,
            "person": person,
            "what": change.after,
            "rule": reason_text(change.why),
            "by": str(change.by or ""),
        }


def _groups(event_id: int, now: datetime) -> Iterator[Row]:
    """As of now: groups are facts about the sale so far."""
    for group in suspicious_groups(event_id):
        for person in people_of(group, event_id=event_id):
            fact = {"what": "in_group", "rule": group.reason, "detail": group.value}
            yield {"at": now, "person": person, **fact}


def _reservations(event_id: int, people: set[int]) -> Iterator[Row]:
    found = Reservation.objects.filter(event_id=event_id, fan_id__in=people).order_by("pk")
    for reservation in found:
        yield {
            "at": reservation.created_at,
            "person": reservation.fan_id,
            "what": f"reservation_{reservation.state}",
            "detail": reservation.code,
        }
