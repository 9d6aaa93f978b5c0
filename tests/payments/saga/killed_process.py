"""A buyer who is killed while paying; runs in a fork (tests/forks.py)."""

import os
import signal
from datetime import datetime

from django.conf import settings

from payments import services
from tests.payments.saga.kill_points import Killer


def confirm(
    *, portone_url: str, step: str, when: str, now: str, number: str, fan: int, token: str
) -> None:
    settings.PORTONE_URL = portone_url
    killer = Killer(lambda: os.kill(os.getpid(), signal.SIGKILL))
    killer.watch(step, when, setattr)
    killer.life = number
    moment = datetime.fromisoformat(now)
    services.confirm_payment(number=number, fan_id=fan, payment_token=token, now=moment)
