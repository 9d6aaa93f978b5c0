"""The promise `order`: people are let in in the order of their numbers."""

from bisect import bisect_left, insort

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import JournalEntry
from ticketing.rehearsal.simulator.judge.admissions import calls
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict


def check(evidence: IndexedEvidence) -> Verdict:
    """The number of each call must be higher than all before it."""
    findings, numbers = Findings(), list[int]()
    inversions, foremost = 0, (0, 0)
    for entry, _there in calls(evidence.journal):
        findings.checked += 1
        if numbers and entry.number <= numbers[-1]:
            inversions += len(numbers) - bisect_left(numbers, entry.number)
            _overtaken(evidence, findings, entry, foremost)
        insort(numbers, entry.number)
        foremost = max(foremost, (entry.number, entry.person))
    findings.note(_("Pairs in the wrong order: %(pairs)s."), pairs=inversions)
    return findings.verdict("order", _("Let in in the order of their numbers"))


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
