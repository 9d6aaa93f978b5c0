"""A dashboard with long numbers, shown until Ctrl-C: `python -m tests…busy_dashboard`."""

import asyncio
import signal
import sys

from ticketing.rehearsal.simulator.history import OUTCOMES, Record, steady_time
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.terminal import dashboard


def busy() -> Progress:
    """Progress with everything shown and long numbers everywhere."""
    it, now = Progress(), steady_time()
    it.setting = {
        "code": "K7QF2M9X",
        "title": {"en": "Moonlight Concert " * 8, "ko": "달빛"},
        "profile": "rush",
        "fans": 10_000,
        "faults": "all",
        "seed": 123_456,
    }
    it.snapshot = {
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
    for phase in (*dashboard.PHASES, *OUTCOMES):
        it.counters.phases[phase] = 12_345
    for action in ("join", "poll", "connect", "claim", "map", "hold", "pay", "confirm"):
        for took in (0.01, 12.3):
            it.counters(Record(1, action, now - took, now, data={"state": "SUCCEEDED"}))
    for code in ("seat_taken", "not_together", "unavailable", "payments_paused", "queue_full"):
        it.counters.refusals[code] = 12_345
    it.counters(Record(1, "forge", now, now, 401))
    it.last_change = "the process that moves the line is killed (10 of 10)"
    it.enter("settling payments", 180)
    return it


async def show() -> None:
    task = asyncio.create_task(dashboard.show(busy(), sys.stdout))
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
    await asyncio.gather(task, return_exceptions=True)


if __name__ == "__main__":
    dashboard.REDRAW_SECONDS = 0.03  # the test waits for several frames
    asyncio.run(show())
