"""Waiting, as long as the server runs: nobody who stops it waits for the slowest of all cards."""

from threading import Condition
from typing import Any

from ticketing.core.farewell import going_down

_bed = Condition()


def rest(seconds: float) -> None:
    if seconds > 0:
        with _bed:
            _bed.wait(seconds)


def wake_all(**kwargs: Any) -> None:
    with _bed:
        _bed.notify_all()


going_down.connect(wake_all)
