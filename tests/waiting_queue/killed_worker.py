"""A worker process that kills itself at a given step of the store, just before or just after it.

Runs in a fork (tests/forks.py).
"""

import os
import signal
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from tests import forks
from waiting_queue import services, store
from waiting_queue.services import draws, journal, rebuilds


def run_until_killed(**arguments: Any) -> int:
    """Run `run` with these arguments in another process; return its exit code."""
    return forks.run("tests.waiting_queue.killed_worker:run", **arguments)


def run(
    job: str,
    event_id: int,
    now: str,
    step: str = "",
    nth: int = 1,
    after: bool = False,
    kill_after: float = 0,
) -> None:
    draws.BATCH = journal.BATCH = rebuilds.BATCH = 100
    if step:
        setattr(store, step, _killing(getattr(store, step), nth, after))
    moment = datetime.fromisoformat(now)
    jobs: dict[str, Callable[[], Any]] = {
        "tick": lambda: services.tick_open_queues(now=moment),
        "drain": lambda: services.drain_journals(),
        "draw_minutes": lambda: services.draw_minutes(event_id=event_id, now=moment),
        "draw": lambda: services.draw_lobby(event_id=event_id, now=moment),
        "rebuild": lambda: services.rebuild_queue(event_id=event_id, now=moment, even_whole=True),
        "everything": lambda: _everything(moment, kill_after),
    }
    jobs[job]()


def _everything(moment: datetime, kill_after: float) -> None:
    """Tick and drain without end, until a timer kills the process."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, kill_after)
    for second in range(1_000_000):
        services.tick_open_queues(now=moment + timedelta(seconds=second))
        services.drain_journals()


def _killing(real: Callable[..., Any], nth: int, after: bool) -> Callable[..., Any]:
    calls = 0

    def killing(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*args, **options)
        if calls == nth and after:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return killing
