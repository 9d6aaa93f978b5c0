"""The figures of a report: values over time, in seconds since the beginning."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ticketing.rehearsal.simulator.history import RUNNER, Evidence, Record
from ticketing.rehearsal.simulator.judge.admissions import TickGaps, calls, pauses
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.latency import CallTimes
from ticketing.rehearsal.simulator.judge.stays import stays_of
from ticketing.rehearsal.simulator.report.shares import shares_of

MAX_POINTS = 120  # of a curve
MAX_DOTS = 400
MEAN_SECONDS = 5.0
Points = list[tuple[float, float]]
TIMED = {"queue": ("join", "poll", "claim"), "holds": ("hold",), "payment": ("pay", "confirm")}
NOT_CALLS = frozenset({"push", "end", "arrive", "connect", "disconnect", "challenge"})


@dataclass(frozen=True)
class FaultFigures:
    """A fault, and the failed calls around it. The field names are those of the JSON report."""

    letter: str
    name: str
    words: str
    began: float
    ended: float
    whole: bool
    silent: int
    errors: int


@dataclass
class Figures:
    """The data of all charts and tables."""

    seconds: float
    width: float  # seconds between two points
    line: dict[str, Points] = field(default_factory=dict)
    admissions: dict[str, Points] = field(default_factory=dict)
    inside: dict[str, Points] = field(default_factory=dict)
    latency: dict[str, dict[str, Points]] = field(default_factory=dict)
    waits: Points = field(default_factory=list)
    sold: Points = field(default_factory=list)
    errors: dict[str, Points] = field(default_factory=dict)
    faults: list[FaultFigures] = field(default_factory=list)
    pauses: Points = field(default_factory=list)  # from, until
    people: dict[str, Counter[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    shares: dict[str, Any] = field(default_factory=dict)


def figures_of(evidence: Evidence) -> Figures:
    indexed = IndexedEvidence(evidence)
    seconds = max(indexed.ended - indexed.began, 1.0)
    figures = Figures(seconds, max(1.0, seconds / MAX_POINTS))
    _from_snapshots(indexed, figures)
    _from_journal(indexed, figures)
    _from_calls(indexed, figures)
    figures.faults = [_fault(indexed, at, fault) for at, fault in enumerate(indexed.faults)]
    began = indexed.began
    figures.pauses = [(start - began, end - began) for start, end in pauses(indexed)]
    figures.people = _people(indexed)
    figures.counts = _counts(indexed)
    figures.shares = shares_of(indexed)
    return figures


def _from_snapshots(evidence: IndexedEvidence, figures: Figures) -> None:
    snapshots = [record for record in evidence.of("sample") if record.done]
    snapshots.sort(key=lambda record: record.ended)
    samples = [(record.ended - evidence.began, record.data) for record in snapshots]
    figures.line = {name: _series(samples, figures, name) for name in ("waiting", "lobby")}
    figures.inside = {
        "inside": _series(samples, figures, "inside"),
        "called": _series([(at, {"called": data.get("ready", 0) + data.get("inside", 0)})
                           for at, data in samples], figures, "called"),
        "cap": _series(samples, figures, "max_inside"),
    }  # fmt: skip
    seats = evidence.setting.get("seats") or 0
    sold = [(at, {"sold": 100 * (data.get("seats") or {}).get("sold", 0) / seats})
            for at, data in samples if seats]  # fmt: skip
    figures.sold = _series(sold, figures, "sold")
    figures.admissions["rate"] = _series(samples, figures, "admit_per_second")


def _series(samples: Iterable[tuple[float, dict[str, Any]]], figures: Figures, name: str) -> Points:
    """The last value in each slot of time; slots without a value are left out."""
    values: dict[int, float] = {}
    for at, data in samples:
        if data.get(name) is not None:
            values[int(at / figures.width)] = float(data[name])
    return [(slot * figures.width, value) for slot, value in sorted(values.items())]


def _from_journal(evidence: IndexedEvidence, figures: Figures) -> None:
    figures.admissions["called"] = _calls_a_second(evidence, figures)
    waits = []
    for person in evidence.entries_of:
        for stay in stays_of(evidence, person):
            came = stay.called or stay.admitted
            if came and stay.number:
                began = evidence.clocks.recorder_time(stay.began.at) - evidence.began
                waits.append((began, max(came.at - stay.began.at, 0.0)))
    waits.sort()
    figures.waits = waits[:: max(1, len(waits) // MAX_DOTS)]


def _calls_a_second(evidence: IndexedEvidence, figures: Figures) -> Points:
    """A moving average: the queue moves in ticks of many people."""
    clock, began = evidence.clocks, evidence.began
    times = sorted(
        clock.recorder_time(entry.at) - began for entry, _there in calls(evidence.journal)
    )
    span, points = max(MEAN_SECONDS, figures.width), list[tuple[float, float]]()
    for slot in range(int(figures.seconds / figures.width) + 1):
        at = slot * figures.width
        points.append((at, (bisect_right(times, at) - bisect_right(times, at - span)) / span))
    return points


def _per_slot(counts: Counter[int], figures: Figures) -> Points:
    last = int(figures.seconds / figures.width)
    return [(slot * figures.width, float(counts[slot])) for slot in range(last + 1)]


def _from_calls(evidence: IndexedEvidence, figures: Figures) -> None:
    for name, kinds in TIMED.items():
        times = CallTimes(evidence.of(*kinds), evidence.began)
        figures.latency[name] = {
            share: _times(times, figures, part) for share, part in (("p50", 0.5), ("p95", 0.95))
        }
    errors: dict[str, Counter[int]] = defaultdict(Counter)
    for record in evidence.records:
        if record.user != RUNNER and record.action not in NOT_CALLS and not record.done:
            errors[_kind(record)][int((record.ended - evidence.began) / figures.width)] += 1
    figures.errors = {
        kind: _per_slot(errors[kind], figures) for kind in ("refused", "silent", "errors")
    }


def _kind(record: Record) -> str:
    if record.status == 0:
        return "silent"
    return "errors" if record.status >= 500 else "refused"


def _times(times: CallTimes, figures: Figures, share: float) -> Points:
    points: Points = []
    for slot in range(int(figures.seconds / figures.width) + 1):
        first, last = int(slot * figures.width), max(int((slot + 1) * figures.width) - 1, 0)
        took = times.within(first, max(first, last), share)
        if took is not None:
            points.append((slot * figures.width, took * 1000))
    return points


def _fault(evidence: IndexedEvidence, at: int, fault: Record) -> FaultFigures:
    hit = Counter(
        _kind(record)
        for record in evidence.records
        if record.user != RUNNER and not record.done and record.action not in NOT_CALLS
        and fault.began <= record.ended and record.began <= fault.ended + 1
    )  # fmt: skip
    letter = chr(ord("A") + at % 26) + (str(at // 26) if at >= 26 else "")
    names = (str(fault.data.get("fault", "")), str(fault.data.get("description", "")))
    times = (fault.began - evidence.began, fault.ended - evidence.began)
    return FaultFigures(letter, *names, *times, fault.done, hit["silent"], hit["errors"])


def _people(evidence: IndexedEvidence) -> dict[str, Counter[str]]:
    """The outcomes of each persona."""
    personas = {
        record.user: str(record.data.get("persona", "")) for record in evidence.of("arrive")
    }
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    for record in evidence.of("end"):
        figures[personas.get(record.user, "")][str(record.data.get("state", ""))] += 1
    return dict(sorted(figures.items()))


def _counts(evidence: IndexedEvidence) -> dict[str, int]:
    return {
        "people": len(evidence.by_action.get("arrive", [])),
        "deeds": len(evidence.records),
        "called": sum(1 for _ in calls(evidence.journal)),
        "holds": sum(record.done for record in evidence.of("hold")),
        "sold": len(evidence.facts.get("sold", [])),
        "silent": sum(record.status == 0 for record in evidence.records),
        "longest_tick_gap": round(TickGaps(evidence).longest),
    }
