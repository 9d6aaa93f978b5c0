"""The load limits of the installation: the highest loads that were answered within a target."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Evidence, Record
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.latency import CallTimes, live_connections, percentile
from ticketing.rehearsal.simulator.judge.ownership import SOLD
from ticketing.rehearsal.simulator.judge.verdict import Sentence

WINDOW = 5  # seconds
MIN_CALLS = 10  # in a window
SLOW_DATABASE_MS, SLOW_REDIS_MS, SLOW_TICK_SECONDS, BUSY = 50.0, 20.0, 3.0, 0.9


@dataclass(frozen=True)
class Targets:
    """Seconds within which 95 of 100 calls should be answered."""

    queue: float = 0.3
    holds: float = 0.5
    payment: float = 2.0


@dataclass(frozen=True)
class Exceeded:
    """When calls first were too slow, at what load, and their p95."""

    at: float
    load: float
    p95: float


@dataclass(frozen=True)
class LoadLimit:
    """`best` is the highest load within the target, None if there were too few calls."""

    name: str
    title: Any
    target: float
    best: float | None
    best_at: float | None
    exceeded: Exceeded | None


@dataclass(frozen=True)
class LoadLimits:
    limits: tuple[LoadLimit, ...]
    bottleneck: Sentence
    advice: Sentence

    @property
    def reached(self) -> bool:
        return any(limit.exceeded for limit in self.limits)


def load_limits(evidence: Evidence, targets: Targets | None = None) -> LoadLimits:
    indexed, targets = IndexedEvidence(evidence), targets or Targets()
    limits = tuple(load_limit(indexed, *kind) for kind in _kinds(indexed, targets))
    return LoadLimits(limits, *_bottleneck(indexed, limits))


def _kinds(
    evidence: IndexedEvidence, targets: Targets
) -> Iterator[tuple[str, Any, float, CallTimes, Any]]:
    """Name, title, target, the timed calls, and a function for the load in a second."""
    began = evidence.began
    joins, polls = CallTimes(evidence.of("join"), began), CallTimes(evidence.of("poll"), began)
    holds, money = (
        CallTimes(evidence.of("hold"), began),
        CallTimes(evidence.of("pay", "confirm"), began),
    )
    sales, queue = CallTimes(_sales(evidence), began), CallTimes(evidence.of("join", "poll"), began)
    connections = live_connections(
        evidence.of("connect", "disconnect"), began, int(evidence.ended - began) + WINDOW
    )
    yield "joins", _("Joins a second"), targets.queue, joins, joins.done_at
    yield "connections", _("Live connections"), targets.queue, queue, lambda at: connections[at]
    yield "polls", _("Polls a second"), targets.queue, polls, polls.done_at
    yield "holds", _("Holds a second"), targets.holds, holds, holds.done_at
    yield "sales", _("Sales a second"), targets.payment, money, sales.done_at


def _sales(evidence: IndexedEvidence) -> list[Record]:
    """For each payment the first response that says it is paid."""
    found: dict[str, Record] = {}
    for record in evidence.of("confirm", "payment_status"):
        if record.done and str(record.data.get("state", "")).upper() == SOLD:
            found.setdefault(str(record.data.get("payment")), record)
    return list(found.values())


def load_limit(
    evidence: IndexedEvidence,
    name: str,
    title: Any,
    target: float,
    calls: CallTimes,
    load: Callable[[int], float],
) -> LoadLimit:
    best: tuple[float, float] | None = None
    exceeded: Exceeded | None = None
    for second in range(WINDOW - 1, int(evidence.ended - evidence.began) + 1):
        first, at = second - WINDOW + 1, evidence.began + second
        times = calls.times_in(first, second)
        p95 = percentile(times, 0.95)
        if p95 is None or times.total() < MIN_CALLS or evidence.fault_at(at - WINDOW, at):
            continue
        carried = sum(load(one) for one in range(first, second + 1)) / WINDOW
        if p95 <= target:
            best = max(best or (0.0, at), (carried, at))
        elif exceeded is None:
            exceeded = Exceeded(at - evidence.began, carried, p95)
    highest, when = best if best else (None, None)
    since = None if when is None else when - evidence.began
    return LoadLimit(name, title, target, highest, since, exceeded)


def _bottleneck(
    evidence: IndexedEvidence, limits: tuple[LoadLimit, ...]
) -> tuple[Sentence, Sentence]:
    """Bottleneck and advice, from the snapshots around the time at which calls became slow."""
    slow = [(limit.exceeded.at, limit.name) for limit in limits if limit.exceeded]
    if not slow:
        return (
            Sentence(_("Not reached: at all loads seen here, calls were answered in time.")),
            Sentence(_("Rehearse with more people to find it.")),
        )
    at, first = min(slow)
    samples = [
        record.data for record in evidence.of("sample")
        if record.done and abs(record.ended - evidence.began - at) <= 2 * WINDOW
    ]  # fmt: skip
    return _diagnosis(
        samples, only_money={name for _at, name in slow} == {"sales"} and first == "sales"
    )


def _diagnosis(samples: list[dict[str, Any]], *, only_money: bool) -> tuple[Sentence, Sentence]:
    busiest = _busiest(samples)
    if (slow := _median(samples, "database_ms")) >= SLOW_DATABASE_MS:
        return (
            Sentence(_("PostgreSQL: a simple question took %(ms)s ms."), {"ms": f"{slow:.0f}"}),
            Sentence(_("Give PostgreSQL more cores or a faster disk, or lower max_inside, so that "
                   "fewer people choose seats at once.")),
        )  # fmt: skip
    if (slow := _median(samples, "redis_ms")) >= SLOW_REDIS_MS:
        return (
            Sentence(_("Valkey: a simple question took %(ms)s ms."), {"ms": f"{slow:.0f}"}),
            Sentence(_("Give Valkey a core of its own, or the queue a Valkey of its own "
                   "(QUEUE_REDIS_URL).")),
        )  # fmt: skip
    if (late := _median(samples, "tick_age_seconds")) >= SLOW_TICK_SECONDS:
        return (
            Sentence(_("The line's own process: ticks came %(late)s s "
                   "apart."), {"late": f"{late:.1f}"}),
            Sentence(_("Give the process that moves the line a core of its own.")),
        )  # fmt: skip
    if only_money:
        return (
            Sentence(_("The payment gateway: only payments were slow.")),
            Sentence(_("Ask the gateway for a higher rate, or lower admit_per_second.")),
        )
    values = {"process": busiest or _("the web processes")}
    return (
        Sentence(_("Computing time: neither PostgreSQL nor Valkey was slow; busiest: "
               "%(process)s."), values),
        Sentence(_("Start more web processes on more cores, or lower admit_per_second and "
               "max_inside.")),
    )  # fmt: skip


def _median(samples: list[dict[str, Any]], name: str) -> float:
    values = [float(sample[name]) for sample in samples if sample.get(name) is not None]
    return median(values) if values else 0.0


def _busiest(samples: list[dict[str, Any]]) -> str:
    """The processes that use nearly a whole core, by the samples' CPU load."""
    loads: dict[str, float] = {}
    for sample in samples:
        for process, share in (sample.get("load") or {}).items():
            loads[process] = max(loads.get(process, 0.0), float(share))
    busy = [f"{name} ({share:.0%})" for name, share in loads.items() if share >= BUSY]
    return ", ".join(busy)
