"""Delays of the sandbox's answers. They end when the server stops, so that it stops at once."""

from threading import Condition
from typing import Any

from ticketing.core.server_signals import server_stopping

_stopping = Condition()


def delay(seconds: float) -> None:
    if seconds > 0:
        with _stopping:
            _stopping.wait(seconds)


def end_all(**kwargs: Any) -> None:
    with _stopping:
        _stopping.notify_all()


server_stopping.connect(end_all)
