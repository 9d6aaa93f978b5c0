"""Every night our books are compared with the gateway's, and the result is kept."""

from datetime import date, datetime

from payments import services as payments
from ticketing.console.models import Reconciliation


def reconcile_day(*, day: date, now: datetime) -> Reconciliation:
    found = [[it.number, it.what, it.facts] for it in payments.reconcile(day=day, now=now)]
    kept, _is_new = Reconciliation.objects.update_or_create(
        day=day, defaults={"at": now, "differences": found}
    )
    return kept
