"""Waiting, as long as the server runs: nobody who stops it waits for the slowest of all cards."""

from threading import Condition
from typing import Any

from ticketing.core.server_signals import server_stopping

_bed = Condition()


def rest(seconds: float) -> None:
    if seconds > 0:
        with _bed:
            _bed.wait(seconds)


def wake_all(**kwargs: Any) -> None:
    with _bed:
        _bed.notify_all()


server_stopping.connect(wake_all)
