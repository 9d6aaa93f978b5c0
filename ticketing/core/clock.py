"""The only place that asks the time. Edges ask; services and Lua are told."""

import time
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone


def now() -> datetime:
    """A rehearsal may set this process's clock wrong, to see that nobody is harmed."""
    return timezone.now() + settings.CLOCK_SKEW


def monotonic() -> float:
    """Seconds for measuring how long something took."""
    return time.monotonic()


def skew_in(file: str) -> timedelta:
    """By how much this process's clock is to be wrong, as of its start."""
    there = bool(file) and Path(file).exists()
    return timedelta(seconds=float(Path(file).read_text())) if there else timedelta()
