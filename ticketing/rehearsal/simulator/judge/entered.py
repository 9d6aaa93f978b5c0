"""The promise `entered`: while people wait and there is room for them, they come in at the rate.

It is the rate of people who come in: whoever is called and does not come is made up for. In times
in which anything but the rate may have kept people waiting it proves nothing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.judge.admissions import TickGaps, calls, no_shows
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("People come in at the rate while there is room")

# A call that nobody answers is given to the next so long after its time: the grace, and ticks.
LATE_SECONDS = 5.0
# From then on, for at least so long, people come in at this share of the rate: who comes is chance.
LEAST_SECONDS, LEAST_SHARE = 10.0, 0.9
# Snapshots that are farther apart prove nothing of the time between them.
NEXT_SECONDS = 3.0
Stretch = tuple[float, float, float]  # began, ended, rate


def check(evidence: IndexedEvidence) -> Verdict:
    findings, recorder_time = Findings(), evidence.clocks.recorder_time
    called = sorted(recorder_time(entry.at) for entry, _there in calls(evidence.journal))
    came = sorted(recorder_time(entry.at) for entry in evidence.journal if entry.kind == "admit")
    missed = sorted(recorder_time(at) for at in no_shows(evidence.journal))
    gaps, claim = TickGaps(evidence), evidence.knob("claim_seconds")
    for began, ended, rate in _stretches(evidence):
        allowed = rate * (gaps.longest_around(ended) + 2 * evidence.clocks.tolerance) + 1
        turns = _count(called, began, ended)
        findings.checked += turns
        if turns < rate * (ended - began) - allowed:
            _too_few(evidence, findings, (began, ended, rate), turns)
        settled = began + claim.highest(began, ended) + LATE_SECONDS
        entered = _count(came, settled, ended)
        expected = LEAST_SHARE * rate * (ended - settled) - allowed
        is_usual = 2 * _count(missed, began, ended) < turns  # more are not made up for
        if ended - settled >= LEAST_SECONDS and is_usual and entered < expected:
            _too_few(evidence, findings, (settled, ended, rate), entered)
    findings.note(
        _("Only while the snapshots show people waiting and room for them, without faults; those "
          "who come in are counted from %(late)s s after the first call could have run out."),
        late=f"{LATE_SECONDS:g}",
    )  # fmt: skip
    return findings.verdict("entered", TITLE)


def _stretches(evidence: IndexedEvidence) -> Iterator[Stretch]:
    """The times in which only the rate kept people waiting, each with one rate."""
    counted = (
        record for record in evidence.of("sample") if record.done and "waiting" in record.data
    )
    stretch: Stretch | None = None
    for record, after in pairwise(sorted(counted, key=lambda record: record.ended)):
        rate = _rate_between(evidence, record, after)
        if stretch and rate != stretch[2]:
            yield stretch
            stretch = None
        if rate:
            stretch = (stretch[0] if stretch else record.ended, after.began, rate)
    if stretch:
        yield stretch


def _rate_between(evidence: IndexedEvidence, record: Record, after: Record) -> float:
    """The rate, if nothing else kept people waiting between these snapshots; otherwise 0."""
    rates = set(evidence.knob("admit_per_second").between(record.began, after.ended))
    if len(rates) != 1 or after.ended - record.ended > NEXT_SECONDS:
        return 0.0
    rate = float(rates.pop())
    is_bound = all(_is_bound_by_rate(one, rate) for one in (record, after))
    return rate if is_bound and not evidence.fault_at(record.began, after.ended) else 0.0


def _is_bound_by_rate(record: Record, rate: float) -> bool:
    """Whether more people than are called in a second wait, and find room.

    Those who have to verify first may be in line or not: they prove nothing.
    """
    data = record.data
    cap = data["max_inside"] if data.get("cap") is None else data["cap"]
    room = cap - data["inside"] - data["ready"]
    is_open = data.get("state") == "open" and not data["lobby"]
    callable_now = data["waiting"] - data.get("unverified", 0)
    return is_open and min(room, callable_now) > rate


def _count(times: list[float], began: float, ended: float) -> int:
    return max(bisect_right(times, ended) - bisect_left(times, began), 0)


def _too_few(evidence: IndexedEvidence, findings: Findings, stretch: Stretch, count: int) -> None:
    began, ended, rate = stretch
    findings.against(
        began,
        _("From %(start)s to %(at)s s only %(count)s came in or were called, although more waited, "
          "there was room, and the rate was %(rate)s a second."),
        start=evidence.at(began), at=evidence.at(ended), count=count, rate=f"{rate:g}",
    )  # fmt: skip
