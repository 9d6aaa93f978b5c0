"""Comparisons of our payments with the gateway's, day by day, and their stored results.

One that an operator asks for runs in the event loop of a worker and shows how far it is.
"""

from datetime import date, datetime

from django.db.models import Q

from payments import services as payments
from ticketing.accounts.models import User
from ticketing.console.models import RECONCILIATION_SILENCE, Reconciliation
from ticketing.core import clock
from ticketing.core.event_loop import blocking, start
from ticketing.core.fast_path.threads import in_thread


async def areconcile_day(*, day: date, now: datetime) -> Reconciliation:
    """Compare the payments of a day and store the differences; a second run replaces the first."""

    async def show_progress(compared: int, total: int) -> None:
        await in_thread(_store_progress, day, compared, total)

    found = await payments.areconcile(day=day, now=now, on_progress=show_progress)
    return await in_thread(_store, day, found, now)


def request_reconciliation(*, day: date, by: User, now: datetime) -> bool:
    """Claim a comparison of this day for a worker; False if one is under way."""
    Reconciliation.objects.get_or_create(day=day, defaults={"at": now, "differences": []})
    idle = Q(seen_at=None) | Q(seen_at__lt=now - RECONCILIATION_SILENCE)
    claimed = Reconciliation.objects.filter(idle, day=day)
    return bool(claimed.update(asked_at=now, asked_by=by, seen_at=now, compared=0, total=0))


def start_reconciliation(*, day: date, now: datetime) -> None:
    """Without waiting for it: no slot of the worker waits for the gateway."""
    start(areconcile_day(day=day, now=now))


def _store_progress(day: date, compared: int, total: int) -> None:
    Reconciliation.objects.filter(day=day).exclude(seen_at=None).update(
        compared=compared, total=total, seen_at=clock.now()
    )


def _store(day: date, found: list[payments.Difference], now: datetime) -> Reconciliation:
    differences = [[it.number, it.what, it.facts] for it in found]
    reconciliation, _is_new = Reconciliation.objects.update_or_create(
        day=day, defaults={"at": now, "differences": differences, "seen_at": None}
    )
    return reconciliation


reconcile_day = blocking(areconcile_day)
