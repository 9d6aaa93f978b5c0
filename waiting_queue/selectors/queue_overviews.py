"""The counts of a line, as operators see them. An unreachable Redis is reported, not raised."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from ticketing.core.error_responses import REDIS_OUTAGES
from waiting_queue import store
from waiting_queue.errors import DrawSecretsUnreadable
from waiting_queue.models import SaleQueue
from waiting_queue.selectors import flow
from waiting_queue.selectors.flow import Flow


@dataclass(frozen=True)
class LaneCounts:
    """A lane in numbers: its people, and the share that its weight asks for beside what it got."""

    lane: int
    waiting: int
    called: int
    wanted: float
    got: float


@dataclass(frozen=True)
class Overview:
    """`reachable`: Redis answered. `known`: Redis has a line for the queue."""

    reachable: bool = True
    known: bool = False
    lobby: int = 0
    waiting: int = 0
    unverified: int = 0  # people who are called once they verify, in line or not
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
    lanes: tuple[LaneCounts, ...] = ()  # of an event that has lanes

    @property
    def is_full(self) -> bool:
        return self.cap > 0 and self.inside + self.ready >= self.cap


COUNTS = (
    *("lobby", "waiting", "ready", "inside", "cap", "joined", "admitted", "completed", "left"),
    *("expired", "blocked", "last_number", "unverified"),
)


def overview(queue: SaleQueue, *, now: datetime) -> Overview:
    return overviews([queue], now=now)[queue.pk]


def overviews(queues: Sequence[SaleQueue], *, now: datetime) -> dict[int, Overview]:
    """Return the overview of each queue by event id, read in one round trip."""
    snapshots: Sequence[dict[str, str] | Exception]
    try:
        snapshots = store.run_each([store.snapshot(queue.pk) for queue in queues]) if queues else []
    except REDIS_OUTAGES as outage:
        snapshots = [outage] * len(queues)
    return {
        queue.pk: _overview_from(snapshot, now)
        for queue, snapshot in zip(queues, snapshots, strict=True)
    }


def journal_age(event_id: int, *, now: datetime) -> float:
    """Seconds since the oldest entry that was not copied to PostgreSQL; 0 if all were."""
    entries = store.journal_entries(event_id, 1)
    if not entries:
        return 0.0
    written_ms = int(entries[0][0].partition("-")[0])  # Redis names entries by their time
    return max(now.timestamp() - written_ms / 1000, 0.0)


def queue_warnings(queue: SaleQueue, overview: Overview) -> list[str]:
    """Return what an operator should know about the knobs and about the line as it is now."""
    stay = flow.measured_stay(overview.inside, overview.rate) if overview.is_full else None
    should_tick = overview.reachable and queue.state in SaleQueue.RUNNING
    live = (
        flow.live_warnings(lost=not overview.known, tick_age=overview.tick_age)
        if should_tick
        else []
    )
    return [*live, *_draw_warnings(queue), *_flow_warnings(queue, stay)]


def _flow_warnings(queue: SaleQueue, stay: float | None) -> list[str]:
    """Return what is wrong with the pace, or why the knobs say nothing about it."""
    match queue.mode:
        case SaleQueue.Mode.PASSTHROUGH:
            return [_("Everybody comes in at once: rate and places inside don't count.")]
        case SaleQueue.Mode.CLOSED:
            return [_("Nobody can join, and nobody is called: that is the mode of this queue.")]
    return flow.knob_warnings(Flow.of(queue, stay=stay))


def _draw_warnings(queue: SaleQueue) -> list[str]:
    """Return what would keep a lobby from being drawn as announced."""
    if queue.state not in (SaleQueue.State.SCHEDULED, SaleQueue.State.LOBBY):
        return []
    warnings = []
    try:
        queue.open_draw_secrets()
    except DrawSecretsUnreadable:
        warnings.append(_("No key opens the draw's secret: the lobby can't be drawn (DRAW_KEY)."))
    if queue.public_value_source and not queue.public_value:
        warnings.append(_("The public value of the draw was announced and not entered yet."))
    return warnings


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
        lanes=_lane_counts(snapshot),
        **counts,
    )


def _lane_counts(snapshot: dict[str, str]) -> tuple[LaneCounts, ...]:
    ids = [int(name.split(":")[1]) for name in snapshot if name.endswith(":weight")]
    weights, waiting, called = (
        {lane: int(snapshot[f"lane:{lane}:{what}"]) for lane in ids}
        for what in ("weight", "waiting", "called")
    )
    all_weights, all_called = sum(weights.values()), sum(called.values()) or 1
    return tuple(
        LaneCounts(
            *(lane, waiting[lane], called[lane]),
            wanted=round(weight / all_weights, 4),
            got=round(called[lane] / all_called, 4),
        )
        for lane, weight in sorted(weights.items())
    )
