"""A busy evening in a terminal, shown until somebody presses Ctrl-C: `python -m tests…evening`."""

import asyncio
import signal
import sys

from ticketing.rehearsal.simulator import screen
from ticketing.rehearsal.simulator.history import Deed, steady
from ticketing.rehearsal.simulator.screen import Progress
from ticketing.rehearsal.simulator.users.tally import ENDS


def busy() -> Progress:
    """A busy evening: every number is long, everything is there."""
    it, now = Progress(), steady()
    it.setting = {
        "code": "K7QF2M9X",
        "title": {"en": "Moonlight Concert " * 8, "ko": "달빛"},
        "profile": "rush",
        "fans": 10_000,
        "faults": "all",
        "seed": 123_456,
    }
    it.pulse = {
        "state": "draining",
        "lobby": 12_345,
        "waiting": 12_345,
        "ready": 1_234,
        "inside": 1_234,
        "max_inside": 10_000,
        "database_ms": 123.4,
        "redis_ms": 1.2,
        "tick_age_seconds": 1.0,
        "seats": {"free": 12_345, "held": 1_234, "paying": 1_234, "sold": 12_345},
    }
    for state in (*screen.HERE, *ENDS):
        it.tally.states[state] = 12_345
    for did in ("join", "look", "connect", "claim", "map", "hold", "pay", "confirm"):
        for took in (0.01, 12.3):
            it.tally(Deed(1, did, now - took, now, saw={"state": "SUCCEEDED"}))
    for code in ("seat_taken", "not_together", "unavailable", "payments_paused", "queue_full"):
        it.tally.refusals[code] = 12_345
    it.tally(Deed(1, "forge", now, now, 401))
    it.news = "the process that moves the line is killed (10 of 10)"
    it.enter("settling payments", 180)
    return it


async def show() -> None:
    task = asyncio.create_task(screen.show(busy(), sys.stdout))
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
    await asyncio.gather(task, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(show())
