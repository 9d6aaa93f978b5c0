"""The only module that reads the clock. Edges call it; services and Lua get the time passed in."""

import time
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone


def now() -> datetime:
    """The current time, plus the clock skew that a fault test may set for this process."""
    return timezone.now() + settings.CLOCK_SKEW


# Seconds for measuring durations. Not a function around it: hot paths ask several times a request.
monotonic = time.monotonic


def clock_skew(file: str) -> timedelta:
    """The clock skew in this file, read once at start; none if there is no file."""
    exists = bool(file) and Path(file).exists()
    return timedelta(seconds=float(Path(file).read_text())) if exists else timedelta()
