"""The queue of a sale by its journal: queue size, durations, funnel and outcomes."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Max, Min

from ticketing.console.selectors.report import queries
from ticketing.console.selectors.report.time_slots import fill_gaps, slot_end, slot_seconds
from waiting_queue.models import QueueJournal

PERCENTILES = (0.5, 0.9, 0.95, 0.99)
STAGES = ("waiting", "called", "inside")
OUTCOMES = ("completed", "left", "expired", "blocked", "closed", "")


@dataclass(frozen=True)
class DurationStats:
    """How long something took, in seconds."""

    count: int
    average: float
    longest: float
    p50: float
    p90: float
    p95: float
    p99: float


@dataclass(frozen=True)
class QueueSizes:
    """People waiting and inside over time, and the maximum of each."""

    points: list[tuple[datetime, int, int]]
    max_waiting: int = 0
    max_inside: int = 0


@dataclass(frozen=True)
class FunnelCounts:
    """People per stage. A no-show was called, and left or let the call expire.

    `bypassing` are those whom an operator let in without waiting.
    """

    lobby: int
    joined: int
    called: int
    admitted: int
    no_shows: int
    bypassing: int = 0


def funnel_counts(event_id: int) -> FunnelCounts:
    counts = queries.row("funnel", cte="queue_visits", event=event_id)
    kinds = QueueJournal.Kind.LOBBY, QueueJournal.Kind.BYPASS
    lobby, bypassing = (_people_with(event_id, kind) for kind in kinds)
    return replace(FunnelCounts(lobby, *counts), bypassing=bypassing)


def _people_with(event_id: int, kind: QueueJournal.Kind) -> int:
    entries = QueueJournal.objects.filter(event_id=event_id, kind=kind).order_by()
    return entries.values("person").distinct().count()


def durations(event_id: int) -> dict[str, DurationStats | None]:
    """Seconds from number to call, from call to entry, and inside; None where nothing ended."""
    found = queries.row(
        "durations", cte="queue_visits", event=event_id, percentiles=list(PERCENTILES)
    )
    parts = {name: found[4 * n : 4 * n + 4] for n, name in enumerate(("wait", "answer", "stay"))}
    return {
        name: DurationStats(count, *(float(value) for value in (average, longest, *percentiles)))
        if count
        else None
        for name, (count, average, longest, percentiles) in parts.items()
    }


def outcomes(event_id: int) -> dict[str, dict[str, int]]:
    """Counts by stage reached and by outcome; the outcome "" means still there."""
    table = {stage: dict.fromkeys(OUTCOMES, 0) for stage in STAGES}
    for stage, outcome, count in queries.rows("outcomes", cte="queue_visits", event=event_id):
        table[stage][outcome] = count
    return table


def queue_sizes(event_id: int) -> QueueSizes:
    journal = QueueJournal.objects.filter(event_id=event_id, number__gt=0)
    span = journal.aggregate(began=Min("at"), ended=Max("at"))
    if span["began"] is None:
        return QueueSizes([])
    seconds = slot_seconds(span["began"], span["ended"])
    rows = queries.rows("queue_sizes", cte="queue_visits", event=event_id, slot_seconds=seconds)
    known = {slot: (waiting, inside) for slot, waiting, inside, *_ in rows}
    slots = range(min(known), max(known) + 1)
    points = [(slot_end(slot, seconds), *sizes) for slot, sizes in fill_gaps(known, slots)]
    return QueueSizes(points, max(row[3] for row in rows), max(row[4] for row in rows))
