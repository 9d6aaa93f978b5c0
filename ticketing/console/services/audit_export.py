"""Exports of the audit trail are part of it."""

from datetime import datetime

from ticketing.accounts.models import User
from ticketing.events.models import EventChange


def record_audit_export(*, event_id: int, rows: int, by: User, now: datetime) -> None:
    """The events' service, which outdates copies of the seat list, is not used for this."""
    EventChange.objects.create(event_id=event_id, at=now, by=by, what="audit", after=f"CSV, {rows}")
