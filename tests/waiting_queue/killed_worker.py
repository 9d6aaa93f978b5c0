"""A worker process that kills itself at a given step of the store, just before or just after it.

Run as `python -m tests.waiting_queue.killed_worker '<json>'`.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any


def run_until_killed(**arguments: Any) -> int:
    """Run `run` with these arguments in another process; return its exit code."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    base = os.environ["DATABASE_URL"].rpartition("/")[0]
    env = os.environ | {"DATABASE_URL": f"{base}/{name}", "LOG_LEVEL": "ERROR"}
    command = [sys.executable, "-m", "tests.waiting_queue.killed_worker", json.dumps(arguments)]
    return subprocess.run(command, env=env, timeout=60).returncode


def run(
    work: str, event_id: int, now: str, step: str = "", nth: int = 1, after: bool = False
) -> None:
    import django

    django.setup()
    from waiting_queue import services, store
    from waiting_queue.services import draws, journal

    draws.BATCH = journal.BATCH = 100
    if step:
        setattr(store, step, _killing(getattr(store, step), nth, after))
    moment = datetime.fromisoformat(now)
    works: dict[str, Callable[[], Any]] = {
        "tick": lambda: services.tick_open_queues(now=moment),
        "drain": lambda: services.drain_journals(),
        "draw": lambda: services.draw_lobby(event_id=event_id, now=moment),
        "rebuild": lambda: services.rebuild_queue(event_id=event_id, now=moment),
        "everything": lambda: _everything(services, moment),
    }
    works[work]()


def _everything(services: Any, moment: datetime) -> None:
    """Tick and drain without end, until a timer kills the process."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, float(os.environ["KILL_AFTER"]))
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


if __name__ == "__main__":
    run(**json.loads(sys.argv[1]))
