"""The promise `rate`: nobody is let in faster than the rate, over any window."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import JournalEntry
from ticketing.rehearsal.simulator.judge.admissions import (
    MISSED_SECONDS,
    TickGaps,
    no_shows,
    place_calls,
)
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Never let in faster than the rate, over any window")

# As in the queue itself: unused permits of one second may be used later.
KEPT_SECONDS = 1.0
UNLIMITED = 1e9


def check(evidence: IndexedEvidence) -> Verdict:
    """Check all windows in one pass.

    From call i to call j at most rate times the time between them, permits of one second, those
    since the tick before i, and those of people who were called and did not come in. With n(i) -
    earned(i) + saved(i) at its least so far, one comparison is enough for each j.
    """
    findings, knob_history = Findings(), evidence.knob("admit_per_second")
    gaps, given_back = TickGaps(evidence), sorted(no_shows(evidence.journal))
    earned, count, before, lowest, start = 0.0, 0, None, float("inf"), 0.0
    longest = 0.0
    for now, group in groupby(_ticks_of(evidence), key=lambda pair: pair[0]):
        at, people = evidence.clocks.recorder_time(now), [pair[1] for pair in group]
        since = now - before if before is not None else MISSED_SECONDS
        span = since if before is not None else 0.0
        per_second = knob_history.highest(at - span, at) or UNLIMITED
        earned += per_second * span
        gap = min(since, gaps.longest_around(at))
        saved, longest = per_second * gap, max(longest, gap)
        if count - earned + saved < lowest:
            lowest, start = count - earned + saved, at
        if before is not None:
            earned += bisect_right(given_back, now) - bisect_right(given_back, before)
        count, before = count + len(people), now
        findings.checked += len(people)
        if count - earned > lowest + max(per_second * KEPT_SECONDS, 1) + 1e-6:
            _too_fast(evidence, findings, start, at, per_second, people[-1])
            lowest = float("inf")  # what comes after is judged for itself
    findings.note(
        _("Over any window: rate × time, the permits of 1 s, those of people who were called and "
          "did not come, and those of the time since the tick before it (at most %(gap)s s here)."),
        gap=f"{longest:.1f}",
    )  # fmt: skip
    return findings.verdict("rate", TITLE)


def _ticks_of(evidence: IndexedEvidence) -> Iterator[tuple[float, JournalEntry]]:
    """Calls by the queue's time, which goes back only when a clock was corrected."""
    now = float("-inf")
    for entry in place_calls(evidence.journal):
        now = entry.at if now - entry.at > MISSED_SECONDS else max(now, entry.at)
        yield now, entry


def _too_fast(
    evidence: IndexedEvidence,
    findings: Findings,
    start: float,
    at: float,
    per_second: float,
    last: JournalEntry,
) -> None:
    findings.against(
        at,
        _("From %(start)s to %(at)s s more were called than %(rate)s a second allow; "
          "no. %(number)s (%(who)s) was one too many."),
        start=evidence.at(start), at=evidence.at(at), rate=f"{per_second:g}",
        number=last.number, who=evidence.name(last.person),
    )  # fmt: skip
