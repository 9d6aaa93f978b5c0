"""The counts of a line, as operators see them. An unreachable Redis is reported, not raised."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from redis.exceptions import RedisError

from waiting_queue import store
from waiting_queue.models import SaleQueue
from waiting_queue.selectors import flow
from waiting_queue.selectors.flow import Flow


@dataclass(frozen=True)
class Overview:
    """`reachable`: Redis answered. `known`: Redis has a line for the queue."""

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
    """Return the overview of each queue by event id, read in one round trip."""
    snapshots: Sequence[dict[str, str] | Exception]
    try:
        snapshots = store.run_each([store.snapshot(queue.pk) for queue in queues]) if queues else []
    except RedisError as outage:
        snapshots = [outage] * len(queues)
    return {
        queue.pk: _overview_from(snapshot, now)
        for queue, snapshot in zip(queues, snapshots, strict=True)
    }


def queue_warnings(queue: SaleQueue, overview: Overview) -> list[str]:
    """Return what an operator should know about the knobs and about the line as it is now."""
    stay = flow.measured_stay(overview.inside, overview.rate) if overview.is_full else None
    should_tick = overview.reachable and queue.state in SaleQueue.RUNNING
    live = (
        flow.live_warnings(lost=not overview.known, tick_age=overview.tick_age)
        if should_tick
        else []
    )
    return [*live, *flow.knob_warnings(Flow.of(queue, stay=stay))]


def _overview_from(snapshot: dict[str, str] | Exception, now: datetime) -> Overview:
    if isinstance(snapshot, Exception):
        return Overview(reachable=False)
    ticked = float(snapshot["ticked"]) / 1000 if "ticked" in snapshot else None
    counts: dict[str, Any] = {name: int(snapshot.get(name, 0)) for name in COUNTS}
    return Overview(
        known="epoch" in snapshot,
        rate=float(snapshot.get("fast", 0)),
        ticked_at=None if ticked is None else datetime.fromtimestamp(ticked, UTC),
        tick_age=None if ticked is None else max(now.timestamp() - ticked, 0.0),
        backlog=int(snapshot["journal"]),
        **counts,
    )
