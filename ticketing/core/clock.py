"""The only place that asks the time. Edges ask; services and Lua are told."""

import time
from datetime import datetime

from django.utils import timezone


def now() -> datetime:
    return timezone.now()


def monotonic() -> float:
    """Seconds for measuring how long something took."""
    return time.monotonic()
