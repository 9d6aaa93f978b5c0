"""Waiting for a condition: patiently, because a machine may be slow, and no longer than needed."""

import time
from collections.abc import Callable

PATIENCE = 60


def wait_until(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        time.sleep(0.02)
