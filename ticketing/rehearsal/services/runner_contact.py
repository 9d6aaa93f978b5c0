"""Notes when the runner last called; a rehearsal without a runner is cleaned up after a while."""

from datetime import datetime, timedelta

from ticketing.rehearsal import selectors
from ticketing.rehearsal.errors import RehearsalOver
from ticketing.rehearsal.locks import rehearsal_for_update
from ticketing.rehearsal.models import Rehearsal

NOTED_EVERY = timedelta(seconds=30)
RUNNER_TIMEOUT = timedelta(minutes=10)


def running_rehearsal_for_update(code: str, *, now: datetime) -> Rehearsal:
    """Lock a rehearsal that is not over, so that a clean-up waits for the caller's changes."""
    rehearsal = rehearsal_for_update(code)
    if not rehearsal.is_under_way:
        raise RehearsalOver()
    if rehearsal.heard_at < now:
        rehearsal.heard_at = now
        rehearsal.save(update_fields=["heard_at"])
    return rehearsal


def running_rehearsal(code: str, *, now: datetime) -> Rehearsal:
    """A rehearsal that is not over, for calls that only read: no lock, and a write at times."""
    rehearsal = selectors.rehearsal_by_code(code)
    if not rehearsal.is_under_way:
        raise RehearsalOver()
    due = Rehearsal.objects.filter(pk=rehearsal.pk, heard_at__lte=now - NOTED_EVERY)
    due.update(heard_at=now)
    return rehearsal
