"""A process that is killed at the worst moment; runs in a fork (tests/forks.py)."""

import os
import signal
from datetime import datetime
from typing import Any

from django.db import transaction

from reservations import gate, services
from reservations.services import async_holds
from tests import forks


def die(**order: Any) -> int:
    """Run it elsewhere, until it is killed there; how it ended."""
    return forks.run("tests.reservations.dying:run", **order)


def now_is_the_moment(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run(*, when: str, now: str, event: int, fan: int, seat: int) -> None:
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
