"""Buyers whose processes are killed: `python -m tests.payments.saga.dying`, told by JSON lines.

To start Python and Django takes seconds, so that is done once; each buyer is a fork of that.
"""

import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from typing import Any


class Nursery:
    """Where they come from."""

    def __init__(self, portone_url: str) -> None:
        from django.db import connection

        name = connection.settings_dict["NAME"]
        base = os.environ["DATABASE_URL"].rpartition("/")[0]
        env = {"DATABASE_URL": f"{base}/{name}", "LOG_LEVEL": "ERROR", "PORTONE_URL": portone_url}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.payments.saga.dying"],
            env=os.environ | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def die(self, **order: Any) -> int:
        """Let one live until it is killed; how it ended, as `subprocess` says it."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps(order), file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate(timeout=10)


def now_is_the_moment() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run(*, step: str, when: str, now: str, number: str, fan: int, token: str) -> None:
    from payments import services
    from tests.payments.saga.killing import Killer

    killer = Killer(now_is_the_moment)
    killer.watch(step, when, setattr)
    killer.life = number
    moment = datetime.fromisoformat(now)
    services.confirm_payment(number=number, fan_id=fan, payment_token=token, now=moment)


def bear(order: dict[str, Any]) -> int:
    child = os.fork()
    if child == 0:
        try:
            run(**order)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    import django

    django.setup()
    for line in sys.stdin:
        print(bear(json.loads(line)), flush=True)  # noqa: T201 - the answer
