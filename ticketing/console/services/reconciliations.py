"""The nightly reconciliation of our payments with the gateway's, and its stored result."""

from datetime import date, datetime

from payments import services as payments
from ticketing.console.models import Reconciliation


def reconcile_day(*, day: date, now: datetime) -> Reconciliation:
    """Compare the payments of a day and store the differences; a second run replaces the first."""
    differences = [[it.number, it.what, it.facts] for it in payments.reconcile(day=day, now=now)]
    reconciliation, _is_new = Reconciliation.objects.update_or_create(
        day=day, defaults={"at": now, "differences": differences}
    )
    return reconciliation
