"""Buyers in processes that kill themselves: `python -m tests.payments.saga.killed_process`.

Starting Python and Django takes seconds, so that is done once; each buyer is a fork, described by a
JSON line.
"""

import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from typing import Any


class BuyerProcesses:
    """The process that forks buyers."""

    def __init__(self, portone_url: str) -> None:
        from django.db import connection

        name = connection.settings_dict["NAME"]
        base = os.environ["DATABASE_URL"].rpartition("/")[0]
        env = {"DATABASE_URL": f"{base}/{name}", "LOG_LEVEL": "ERROR", "PORTONE_URL": portone_url}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.payments.saga.killed_process"],
            env=os.environ | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, **order: Any) -> int:
        """Run one buyer; its exit code, negative for a signal."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps(order), file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate(timeout=10)


def kill_myself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def confirm(*, step: str, when: str, now: str, number: str, fan: int, token: str) -> None:
    from payments import services
    from tests.payments.saga.kill_points import Killer

    killer = Killer(kill_myself)
    killer.watch(step, when, setattr)
    killer.life = number
    moment = datetime.fromisoformat(now)
    services.confirm_payment(number=number, fan_id=fan, payment_token=token, now=moment)


def fork(order: dict[str, Any]) -> int:
    child = os.fork()
    if child == 0:
        try:
            confirm(**order)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    import django

    django.setup()
    for line in sys.stdin:
        print(fork(json.loads(line)), flush=True)  # noqa: T201 - the answer
