"""The line of a sale, from its journal: its length, how long people waited, how far they came."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Min

from ticketing.console.reporting import queries
from ticketing.console.reporting.slots import filled, moment, step_of
from waiting_queue.models import QueueJournal

SHARES = (0.5, 0.9, 0.95, 0.99)
STAGES = ("waiting", "called", "inside")
ENDINGS = ("completed", "left", "expired", "blocked", "closed", "")


@dataclass(frozen=True)
class Span:
    """How long something took, in seconds."""

    count: int
    average: float
    longest: float
    p50: float
    p90: float
    p95: float
    p99: float


@dataclass(frozen=True)
class Course:
    """The sizes of line and house over time, and the most that there were."""

    points: list[tuple[datetime, int, int]]
    most_waiting: int = 0
    most_inside: int = 0


@dataclass(frozen=True)
class Reached:
    """People by how far they came; a no-show was called and let the call run out, or left."""

    lobby: int
    joined: int
    called: int
    admitted: int
    no_shows: int


def reached(event_id: int) -> Reached:
    came = QueueJournal.objects.filter(event_id=event_id, kind=QueueJournal.Kind.LOBBY)
    lobby = came.order_by().values("person").distinct().count()
    return Reached(lobby, *queries.row("funnel", of="stays", event=event_id))


def spans(event_id: int) -> dict[str, Span | None]:
    """Waiting for the call, taking to answer it, and being inside."""
    found = queries.row("spans", of="stays", event=event_id, shares=list(SHARES))
    parts = {name: found[4 * n : 4 * n + 4] for n, name in enumerate(("wait", "answer", "stay"))}
    return {
        name: Span(count, *(float(value) for value in (average, longest, *shares)))
        if count
        else None
        for name, (count, average, longest, shares) in parts.items()
    }


def endings(event_id: int) -> dict[str, dict[str, int]]:
    """How stays ended, by how far they had come; "" is not ended yet."""
    table = {stage: dict.fromkeys(ENDINGS, 0) for stage in STAGES}
    for stage, ending, count in queries.rows("endings", of="stays", event=event_id):
        table[stage][ending] = count
    return table


def course(event_id: int) -> Course:
    journal = QueueJournal.objects.filter(event_id=event_id, number__gt=0)
    ends = journal.aggregate(began=Min("at"), ended=Max("at"))
    if ends["began"] is None:
        return Course([])
    step = step_of(ends["began"], ends["ended"])
    rows = queries.rows("course", of="stays", event=event_id, step=step)
    known = {slot: (waiting, inside) for slot, waiting, inside, *_ in rows}
    slots = range(min(known), max(known) + 1)
    points = [(moment(slot, step), *sizes) for slot, sizes in filled(known, slots)]
    return Course(points, max(row[3] for row in rows), max(row[4] for row in rows))
