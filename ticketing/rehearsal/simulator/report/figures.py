"""What a report shows, as numbers over time: seconds since the beginning, and values."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ticketing.rehearsal.simulator.history import STAGE, Deed, Evidence
from ticketing.rehearsal.simulator.judge.pace import Pace
from ticketing.rehearsal.simulator.judge.reading import Reading
from ticketing.rehearsal.simulator.judge.stays import stays_of
from ticketing.rehearsal.simulator.judge.turns import TickGaps, calls, pauses

POINTS = 120  # so many stretches of time a chart shows
DOTS = 400
MEAN_SECONDS = 5.0
Points = list[tuple[float, float]]
TIMED = {"queue": ("join", "look", "claim"), "holds": ("hold",), "payment": ("pay", "confirm")}
QUIET = frozenset({"told", "end", "arrive", "connect", "dropped"})


@dataclass(frozen=True)
class Fault:
    """Something that was broken on purpose, and what it did."""

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
    """Everything that the charts and tables of a report are made of."""

    seconds: float
    width: float
    line: dict[str, Points] = field(default_factory=dict)
    admissions: dict[str, Points] = field(default_factory=dict)
    inside: dict[str, Points] = field(default_factory=dict)
    latency: dict[str, dict[str, Points]] = field(default_factory=dict)
    waits: Points = field(default_factory=list)
    sold: Points = field(default_factory=list)
    errors: dict[str, Points] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    pauses: Points = field(default_factory=list)  # from, until
    people: dict[str, Counter[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


def figures_of(evidence: Evidence) -> Figures:
    reading = Reading(evidence)
    seconds = max(reading.ended - reading.began, 1.0)
    found = Figures(seconds, max(1.0, seconds / POINTS))
    _from_pulses(reading, found)
    _from_journal(reading, found)
    _from_calls(reading, found)
    found.faults = [_fault(reading, at, fault) for at, fault in enumerate(reading.faults)]
    began = reading.began
    found.pauses = [(start - began, end - began) for start, end in pauses(reading)]
    found.people = _people(reading)
    found.counts = _counts(reading)
    return found


def _from_pulses(reading: Reading, found: Figures) -> None:
    pulses = [deed for deed in reading.of("sample") if deed.done]
    pulses.sort(key=lambda deed: deed.ended)
    told = [(deed.ended - reading.began, deed.saw) for deed in pulses]
    found.line = {name: _series(told, found, name) for name in ("waiting", "lobby")}
    found.inside = {
        "inside": _series(told, found, "inside"),
        "called": _series([(at, {"called": saw.get("ready", 0) + saw.get("inside", 0)})
                           for at, saw in told], found, "called"),
        "cap": _series(told, found, "max_inside"),
    }  # fmt: skip
    seats = reading.setting.get("seats") or 0
    sold = [(at, {"sold": 100 * (saw.get("seats") or {}).get("sold", 0) / seats})
            for at, saw in told if seats]  # fmt: skip
    found.sold = _series(sold, found, "sold")
    found.admissions["rate"] = _series(told, found, "admit_per_second")


def _series(told: Iterable[tuple[float, dict[str, Any]]], found: Figures, name: str) -> Points:
    """The last value in each stretch of time; a stretch without any is a gap that is bridged."""
    values: dict[int, float] = {}
    for at, saw in told:
        if saw.get(name) is not None:
            values[int(at / found.width)] = float(saw[name])
    return [(slot * found.width, value) for slot, value in sorted(values.items())]


def _from_journal(reading: Reading, found: Figures) -> None:
    found.admissions["called"] = _calls_a_second(reading, found)
    waits = []
    for person in reading.entries_of:
        for stay in stays_of(reading, person):
            came = stay.called or stay.admitted
            if came and stay.number:
                began = reading.clocks.steady(stay.began.at) - reading.began
                waits.append((began, max(came.at - stay.began.at, 0.0)))
    waits.sort()
    found.waits = waits[:: max(1, len(waits) // DOTS)]


def _calls_a_second(reading: Reading, found: Figures) -> Points:
    """Over a few seconds each: the line moves in ticks, and a tick is a crowd."""
    clock, began = reading.clocks, reading.began
    times = sorted(clock.steady(entry.at) - began for entry, _there in calls(reading.journal))
    span, points = max(MEAN_SECONDS, found.width), list[tuple[float, float]]()
    for slot in range(int(found.seconds / found.width) + 1):
        at = slot * found.width
        points.append((at, (bisect_right(times, at) - bisect_right(times, at - span)) / span))
    return points


def _filled(counts: Counter[int], found: Figures) -> Points:
    last = int(found.seconds / found.width)
    return [(slot * found.width, float(counts[slot])) for slot in range(last + 1)]


def _from_calls(reading: Reading, found: Figures) -> None:
    for name, kinds in TIMED.items():
        pace = Pace(reading.of(*kinds), reading.began)
        found.latency[name] = {
            share: _times(pace, found, part) for share, part in (("p50", 0.5), ("p95", 0.95))
        }
    errors: dict[str, Counter[int]] = defaultdict(Counter)
    for deed in reading.evidence.deeds:
        if deed.who != STAGE and deed.did not in QUIET and not deed.done:
            errors[_kind(deed)][int((deed.ended - reading.began) / found.width)] += 1
    found.errors = {kind: _filled(errors[kind], found) for kind in ("refused", "silent", "errors")}


def _kind(deed: Deed) -> str:
    if deed.status == 0:
        return "silent"
    return "errors" if deed.status >= 500 else "refused"


def _times(pace: Pace, found: Figures, share: float) -> Points:
    points: Points = []
    for slot in range(int(found.seconds / found.width) + 1):
        first, last = int(slot * found.width), max(int((slot + 1) * found.width) - 1, 0)
        took = pace.within(first, max(first, last), share)
        if took is not None:
            points.append((slot * found.width, took * 1000))
    return points


def _fault(reading: Reading, at: int, fault: Deed) -> Fault:
    hit = Counter(
        _kind(deed)
        for deed in reading.evidence.deeds
        if deed.who != STAGE and not deed.done and deed.did not in QUIET
        and fault.began <= deed.ended and deed.began <= fault.ended + 1
    )  # fmt: skip
    letter = chr(ord("A") + at % 26) + (str(at // 26) if at >= 26 else "")
    told = (str(fault.saw.get("fault", "")), str(fault.saw.get("words", "")))
    times = (fault.began - reading.began, fault.ended - reading.began)
    return Fault(letter, *told, *times, fault.done, hit["silent"], hit["errors"])


def _people(reading: Reading) -> dict[str, Counter[str]]:
    """How each kind of person ended."""
    character = {deed.who: str(deed.saw.get("character", "")) for deed in reading.of("arrive")}
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for deed in reading.of("end"):
        found[character.get(deed.who, "")][str(deed.saw.get("state", ""))] += 1
    return dict(sorted(found.items()))


def _counts(reading: Reading) -> dict[str, int]:
    return {
        "people": len(reading.by_kind.get("arrive", [])),
        "deeds": len(reading.evidence.deeds),
        "called": sum(1 for _ in calls(reading.journal)),
        "holds": sum(deed.done for deed in reading.of("hold")),
        "sold": len(reading.facts.get("sold", [])),
        "silent": sum(deed.status == 0 for deed in reading.evidence.deeds),
        "longest_tick_gap": round(TickGaps(reading).longest),
    }
