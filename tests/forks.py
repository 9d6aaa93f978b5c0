"""Processes for a test to kill: forks of one process, `python -m tests.forks`, that has Django.

To load Python and Django takes seconds; that is done once for all of a worker's tests.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import traceback
from functools import cache
from importlib import import_module
from typing import Any

from django.db import connection

from tests.waiting import wait_until
from ticketing.development.embedded.process import die_with_parent

WORKING = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()
"""


def run(work: str, **arguments: Any) -> int:
    """Call `module:function` in a process of its own; its exit code, negative for a signal."""
    return wait(start(work, **arguments))


def start(work: str, **arguments: Any) -> int:
    """Call `module:function` in a process of its own; returns its pid at once."""
    return _ask({"start": work, "arguments": arguments})


def wait(pid: int) -> int:
    """Its exit code, once PostgreSQL has also noticed its end and let go of its locks."""
    code = _ask({"wait": pid})
    wait_until(lambda: not _working_sessions())
    return code


def _working_sessions() -> int:
    with connection.cursor() as cursor:
        cursor.execute(WORKING)
        return int(cursor.fetchone()[0])


def _ask(order: dict[str, Any]) -> int:
    forker = _forker()
    assert forker.stdin
    assert forker.stdout
    print(json.dumps(order), file=forker.stdin, flush=True)
    return int(forker.stdout.readline())


@cache
def _forker() -> subprocess.Popen[str]:
    """In the environment of the worker that asks first: it names the worker's own database."""
    forker = subprocess.Popen(
        [sys.executable, "-m", "tests.forks"],
        env=os.environ | {"LOG_LEVEL": "CRITICAL"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(forker.communicate)  # the end of its input ends it
    return forker


# -- the process ----------------------------------------------------------------------------------


def serve() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        print(_fork(order) if "start" in order else _exit_code(order["wait"]), flush=True)  # noqa: T201


def _fork(order: dict[str, Any]) -> int:
    follow = die_with_parent(signal.SIGKILL)
    if pid := os.fork():
        return pid
    if follow:
        follow()
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    module, _, function = order["start"].partition(":")
    try:
        getattr(import_module(module), function)(**order["arguments"])
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    import django

    django.setup()
    # What the orders need; a fork that loads it itself loads it each time.
    for name in ("payments.services", "reservations.services", "waiting_queue.services"):
        import_module(name)
    serve()
