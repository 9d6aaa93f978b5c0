"""The promise `lanes`: while two lanes have people waiting, they are called by their weights.

The queue is rebuilt from the journal, change by change. A lane's calls divided by its weight may
run ahead of another lane's by the time of one call of each, and by no more.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import LANE_NUMBERS, JournalEntry
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.parties import ENDINGS
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Lanes called by their weights")

ROUNDING = 1e-6


@dataclass
class LanePair:
    """How far one lane is ahead of the other, since both have had people."""

    first: int
    second: int
    steps: dict[int, float]  # what a call of each lane counts
    lead: float = 0.0
    lowest: float = 0.0
    highest: float = 0.0

    def reset(self) -> None:
        self.lead = self.lowest = self.highest = 0.0

    def count(self, lane: int) -> bool:
        """Count a call of one of the two; return whether it is still fair."""
        self.lead += self.steps[lane] * (1 if lane == self.first else -1)
        self.lowest, self.highest = min(self.lowest, self.lead), max(self.highest, self.lead)
        return self.highest - self.lowest <= sum(self.steps.values()) + ROUNDING


class Places:
    """Whose each number in line is, and how many there are in each lane. A party has one."""

    def __init__(self) -> None:
        self.waiting: Counter[int] = Counter()
        self._holders: dict[int, int] = {}
        self._number_of: dict[int, int] = {}

    def has(self, entry: JournalEntry) -> bool:
        return self._holders.get(entry.number) == entry.person

    def apply(self, entry: JournalEntry) -> None:
        """Whoever is let in out of turn, moved, called or out gives up the place they hold."""
        if entry.kind in {"bypass", "demoted", "restored", "ready", "admit", *ENDINGS}:
            self._free(entry.person)
        if entry.kind in {"join", "lead", "demoted", "restored"} and entry.number % LANE_NUMBERS:
            self._take(entry.person, entry.number)

    def _take(self, person: int, number: int) -> None:
        before = self._holders.get(number)
        if before is None:
            self.waiting[number // LANE_NUMBERS] += 1
        else:
            del self._number_of[before]  # handed over
        self._holders[number], self._number_of[person] = person, number

    def _free(self, person: int) -> None:
        number = self._number_of.pop(person, None)
        if number is not None:
            del self._holders[number]
            self.waiting[number // LANE_NUMBERS] -= 1


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings()
    weights = {int(lane["lane"]): int(lane["weight"]) for lane in evidence.facts.get("lanes", ())}
    pairs = [
        LanePair(one, other, {one: 1 / weights[one], other: 1 / weights[other]})
        for one, other in combinations(sorted(weights), 2)
    ]
    places = Places()
    called: Counter[int] = Counter()
    for entry in evidence.journal if pairs else ():
        if entry.kind in {"ready", "admit"} and places.has(entry):
            called[entry.number // LANE_NUMBERS] += 1
            _count(evidence, findings, pairs, entry, places.waiting)
        places.apply(entry)
        _reset(evidence, pairs, entry, places.waiting)
    for lane in evidence.facts.get("lanes", ()):
        share = called[int(lane["lane"])] / (called.total() or 1)
        findings.note(
            _("Lane %(lane)s: weight %(weight)s, %(called)s of those who waited called "
              "(%(share)s)."),
            lane=lane["lane"], weight=lane["weight"], called=called[int(lane["lane"])],
            share=f"{share:.1%}",
        )  # fmt: skip
    return findings.verdict("lanes", TITLE)


def _count(
    evidence: IndexedEvidence,
    findings: Findings,
    pairs: list[LanePair],
    entry: JournalEntry,
    waiting: Counter[int],
) -> None:
    lane = entry.number // LANE_NUMBERS
    for pair in pairs:
        if lane not in pair.steps or not (waiting[pair.first] and waiting[pair.second]):
            continue
        findings.checked += 1
        if not pair.count(lane):
            findings.against(
                evidence.clocks.recorder_time(entry.at),
                _("%(at)s s: lane %(lane)s was called too often beside lane %(other)s."),
                at=evidence.at_server(entry.at), lane=lane,
                other=pair.second if lane == pair.first else pair.first,
            )  # fmt: skip
            pair.reset()


def _reset(
    evidence: IndexedEvidence, pairs: list[LanePair], entry: JournalEntry, waiting: Counter[int]
) -> None:
    """A lane that is empty saves nothing up; after a loss of Redis' data counting begins anew."""
    lost = evidence.data_loss_at(evidence.clocks.recorder_time(entry.at))
    for pair in pairs:
        if lost or not (waiting[pair.first] and waiting[pair.second]):
            pair.reset()
