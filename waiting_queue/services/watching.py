"""A queue in numbers, as operators watch it; a Redis that is down is a fact, not a failure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from redis.exceptions import RedisError

from waiting_queue import advice, store
from waiting_queue.advice import Flow
from waiting_queue.models import SaleQueue


@dataclass(frozen=True)
class Overview:
    """How many are where. Not `reachable`: Redis did not answer; not `known`: it knows no line."""

    reachable: bool = True
    known: bool = False
    lobby: int = 0
    waiting: int = 0
    ready: int = 0
    inside: int = 0
    cap: int = 0
    rate: float = 0
    ticked_at: datetime | None = None
    tick_age: float | None = None
    backlog: int = 0
    joined: int = 0
    admitted: int = 0
    completed: int = 0
    left: int = 0
    expired: int = 0
    blocked: int = 0
    last_number: int = 0

    @property
    def is_full(self) -> bool:
        return self.cap > 0 and self.inside + self.ready >= self.cap


COUNTS = (
    *("lobby", "waiting", "ready", "inside", "cap", "joined", "admitted", "completed", "left"),
    *("expired", "blocked", "last_number"),
)


def overview(queue: SaleQueue, *, now: datetime) -> Overview:
    return overviews([queue], now=now)[queue.pk]


def overviews(queues: Sequence[SaleQueue], *, now: datetime) -> dict[int, Overview]:
    """All of them in one round trip."""
    shots: Sequence[dict[str, str] | Exception]
    try:
        shots = store.run_each([store.snapshot(queue.pk) for queue in queues]) if queues else []
    except RedisError as outage:
        shots = [outage] * len(queues)
    return {queue.pk: _read(shot, now) for queue, shot in zip(queues, shots, strict=True)}


def warnings_of(queue: SaleQueue, seen: Overview) -> list[str]:
    """What an operator should know about the knobs, and about the line as it is now."""
    stay = advice.measured_stay(seen.inside, seen.rate) if seen.is_full else None
    running = seen.reachable and queue.state in RUNNING
    live = advice.live_warnings(lost=not seen.known, tick_age=seen.tick_age) if running else []
    return [*live, *advice.warnings(Flow.of(queue, stay=stay))]


RUNNING = frozenset(SaleQueue.State) - {SaleQueue.State.SCHEDULED, SaleQueue.State.CLOSED}


def _read(shot: dict[str, str] | Exception, now: datetime) -> Overview:
    if isinstance(shot, Exception):
        return Overview(reachable=False)
    ticked = float(shot["ticked"]) / 1000 if "ticked" in shot else None
    counts: dict[str, Any] = {name: int(shot.get(name, 0)) for name in COUNTS}
    return Overview(
        known="epoch" in shot,
        rate=float(shot.get("fast", 0)),
        ticked_at=None if ticked is None else datetime.fromtimestamp(ticked, UTC),
        tick_age=None if ticked is None else max(now.timestamp() - ticked, 0.0),
        backlog=int(shot["journal"]),
        **counts,
    )
