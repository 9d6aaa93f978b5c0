"""A buyer whose process is killed: `python -m tests.payments.saga.dying '<json>'`."""

import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from typing import Any


def die(**order: Any) -> int:
    """Run it elsewhere, until it is killed there; how it ended."""
    from django.conf import settings
    from django.db import connection

    name = connection.settings_dict["NAME"]
    base = os.environ["DATABASE_URL"].rpartition("/")[0]
    env = os.environ | {
        "DATABASE_URL": f"{base}/{name}",
        "LOG_LEVEL": "ERROR",
        "PORTONE_URL": settings.PORTONE_URL,
    }
    command = [sys.executable, "-m", "tests.payments.saga.dying", json.dumps(order)]
    return subprocess.run(command, env=env, timeout=60).returncode


def now_is_the_moment() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run(*, step: str, when: str, now: str, number: str, fan: int, token: str) -> None:
    import django

    django.setup()
    from payments import services
    from tests.payments.saga.killing import Killer

    killer = Killer(now_is_the_moment)
    killer.watch(step, when, setattr)
    killer.life = number
    moment = datetime.fromisoformat(now)
    services.confirm(number=number, fan_id=fan, payment_token=token, now=moment)


if __name__ == "__main__":
    run(**json.loads(sys.argv[1]))
