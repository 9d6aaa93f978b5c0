"""The promise `order`: people are let in in the order of their numbers."""

from bisect import bisect_left, insort
from collections import defaultdict

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import LANE_NUMBERS, JournalEntry
from ticketing.rehearsal.simulator.judge.admissions import place_calls
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Let in in the order of their numbers")


def check(evidence: IndexedEvidence) -> Verdict:
    """The number of each call must be higher than all before it in its lane.

    Except for a place that was lost with Redis: until it was restored, others were called.
    """
    findings, inversions = Findings(), 0
    by_lane = defaultdict[int, list[int]](list)
    foremost_of = defaultdict[int, tuple[int, int, int]](lambda: (0, 0, 0))
    index = {id(entry): at for at, entry in enumerate(evidence.journal)}
    joined = {
        (entry.person, entry.number): at
        for at, entry in enumerate(evidence.journal)
        if entry.kind == "join"
    }
    for entry in place_calls(evidence.journal):
        findings.checked += 1
        lane = entry.number // LANE_NUMBERS
        numbers, foremost = by_lane[lane], foremost_of[lane]
        was_away = joined.get((entry.person, entry.number), 0) > foremost[2]
        if numbers and entry.number <= numbers[-1] and not was_away:
            inversions += len(numbers) - bisect_left(numbers, entry.number)
            _overtaken(evidence, findings, entry, foremost[:2])
        insort(numbers, entry.number)
        foremost_of[lane] = max(foremost, (entry.number, entry.person, index[id(entry)]))
    findings.note(_("Pairs in the wrong order: %(pairs)s."), pairs=inversions)
    return findings.verdict("order", TITLE)


def _overtaken(
    evidence: IndexedEvidence, findings: Findings, entry: JournalEntry, foremost: tuple[int, int]
) -> None:
    number, person = foremost
    words = _("%(at)s s: no. %(number)s (%(who)s) was called after no. %(other)s (%(whom)s).")
    if entry.number == number:
        words = _(
            "%(at)s s: no. %(number)s (%(who)s) was called again, after no. %(other)s (%(whom)s)."
        )
    findings.against(
        evidence.clocks.recorder_time(entry.at), words,
        at=evidence.at_server(entry.at), number=entry.number, who=evidence.name(entry.person),
        other=number, whom=evidence.name(person),
    )  # fmt: skip
