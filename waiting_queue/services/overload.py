"""Tells the tick that this server process answers late: nobody's time to claim runs meanwhile."""

from typing import Any

from django.dispatch import receiver

from ticketing.core.server_signals import server_behind
from waiting_queue import store


@receiver(server_behind)
async def report_behind(**_: Any) -> None:
    await store.areport_behind()
