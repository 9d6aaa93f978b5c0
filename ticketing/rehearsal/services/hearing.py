"""Whoever runs a rehearsal is heard with every call; after a long silence it is cleaned up."""

from datetime import datetime, timedelta

from ticketing.rehearsal import selectors
from ticketing.rehearsal.errors import RehearsalOver
from ticketing.rehearsal.locks import rehearsal_for_update
from ticketing.rehearsal.models import Rehearsal

NOTED_EVERY = timedelta(seconds=30)
SILENCE = timedelta(minutes=10)


def rehearsal_under_way(code: str, *, now: datetime) -> Rehearsal:
    """Locked, so that nothing is made in it while it is cleaned up."""
    rehearsal = rehearsal_for_update(code)
    if not rehearsal.is_under_way:
        raise RehearsalOver()
    if rehearsal.heard_at < now:
        rehearsal.heard_at = now
        rehearsal.save(update_fields=["heard_at"])
    return rehearsal


def rehearsal_heard(code: str, *, now: datetime) -> Rehearsal:
    """For those who only look: no lock, and seldom a write."""
    rehearsal = selectors.rehearsal_called(code)
    if not rehearsal.is_under_way:
        raise RehearsalOver()
    unnoted = Rehearsal.objects.filter(pk=rehearsal.pk, heard_at__lte=now - NOTED_EVERY)
    unnoted.update(heard_at=now)
    return rehearsal
