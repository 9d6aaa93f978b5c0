"""A process that is killed at the worst moment: `python -m tests.reservations.dying '<json>'`."""

import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from typing import Any


def die(**order: Any) -> int:
    """Run it elsewhere, until it is killed there; how it ended."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    base = os.environ["DATABASE_URL"].rpartition("/")[0]
    env = os.environ | {"DATABASE_URL": f"{base}/{name}", "LOG_LEVEL": "ERROR"}
    command = [sys.executable, "-m", "tests.reservations.dying", json.dumps(order)]
    return subprocess.run(command, env=env, timeout=60).returncode


def now_is_the_moment(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run(*, when: str, now: str, event: int, fan: int, seat: int) -> None:
    import django

    django.setup()
    from django.db import transaction

    from reservations import gate, services
    from reservations.services import async_holds

    moment = datetime.fromisoformat(now)
    choice = services.SeatChoice.named([seat])
    wish = {"choice": choice, "event_id": event, "fan_id": fan, "now": moment}
    match when:
        case "before the commit":
            with transaction.atomic():
                services.hold_seats(**wish)
                now_is_the_moment()
        case "before anybody is told":
            gate.publish_seats = now_is_the_moment  # type: ignore[assignment]
            services.hold_seats(**wish)
        case "after the claim":
            async_holds._process = now_is_the_moment  # type: ignore[assignment]
            services.process_hold_requests(now=moment)
        case "before a request is finished":
            async_holds._finish = now_is_the_moment
            services.process_hold_requests(now=moment)


if __name__ == "__main__":
    run(**json.loads(sys.argv[1]))
