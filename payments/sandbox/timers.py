"""Runs work a little later in threads of this process, as a gateway does behind its API."""

import logging
from collections.abc import Callable
from functools import partial
from threading import Lock, Timer
from typing import Any

from django.db import connection, transaction

from ticketing.core import clock

log = logging.getLogger(__name__)

_timers: set[Timer] = set()
_lock = Lock()


def run_later(work: Callable[..., Any], *args: Any, seconds: float = 0) -> None:
    """Call `work(*args, now=…)` so many seconds after the transaction commits."""
    transaction.on_commit(partial(_start, work, args, seconds))


def _start(work: Callable[..., Any], args: tuple[Any, ...], seconds: float) -> None:
    def run() -> None:
        try:
            work(*args, now=clock.now())
        except Exception:
            log.exception("A timer of the sandbox failed.")
        finally:
            connection.close()
            with _lock:
                _timers.discard(timer)

    timer = Timer(seconds, run)
    timer.daemon = True
    with _lock:  # started before anybody can see it, because only a started thread can be joined
        _timers.add(timer)
        timer.start()


def pending() -> list[Timer]:
    with _lock:
        return list(_timers)


def cancel_all() -> None:
    """Cancel timers that have not fired, and wait for those that have."""
    for timer in pending():
        timer.cancel()
        timer.join()
        with _lock:
            _timers.discard(timer)
