"""Does things a little later, in threads of this process: what a gateway does behind its API."""

import logging
from collections.abc import Callable
from functools import partial
from threading import Lock, Timer
from typing import Any

from django.db import connection, transaction

from ticketing.core import clock

log = logging.getLogger(__name__)

_errands: set[Timer] = set()
_door = Lock()


def later(work: Callable[..., Any], *args: Any, seconds: float = 0) -> None:
    """Calls `work(*args, now=…)` so many seconds after the transaction, if it is committed."""
    transaction.on_commit(partial(_set_out, work, args, seconds))


def _set_out(work: Callable[..., Any], args: tuple[Any, ...], seconds: float) -> None:
    def run() -> None:
        try:
            work(*args, now=clock.now())
        except Exception:
            log.exception("The sandbox could not do its errand.")
        finally:
            connection.close()
            with _door:
                _errands.discard(timer)

    timer = Timer(seconds, run)
    timer.daemon = True
    with _door:  # who sees it may join it, so it has begun
        _errands.add(timer)
        timer.start()


def under_way() -> list[Timer]:
    with _door:
        return list(_errands)


def call_off() -> None:
    """Nothing that has not begun is done any more; what has begun is waited for."""
    for timer in under_way():
        timer.cancel()
        timer.join()
        with _door:
            _errands.discard(timer)
