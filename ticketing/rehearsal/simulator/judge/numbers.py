"""The promise `numbers`: no number is given to two people, whatever Redis loses.

But those of a party have one number: their leader's.
"""

from collections import defaultdict

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("No number given twice")

STANDING_ACTIONS = ("join", "poll", "push", "claim")


def check(evidence: IndexedEvidence) -> Verdict:
    """By the numbers reported to people, and by the journal, which may have unreported ones."""
    findings = Findings()
    owners: dict[int, list[str]] = defaultdict(list)
    shared = {(evidence.name(person), number) for person, number in evidence.shared_numbers}
    reported = [
        (record.ended, int(record.data["number"]), f"#{record.user}")
        for record in evidence.of_queue(*STANDING_ACTIONS)
        if record.done and record.data.get("number")
    ]
    journalled = [
        (evidence.clocks.recorder_time(entry.at), entry.number, evidence.name(entry.person))
        for entry in evidence.journal
        if entry.kind == "join"
    ]
    for at, number, who in sorted(reported + journalled):
        known = owners[number]
        if who in known or (who, number) in shared:
            continue
        findings.checked += 1
        if known:
            findings.against(
                at, _("%(at)s s: no. %(number)s was given to %(first)s and to %(who)s."),
                at=evidence.at(at), number=number, first=known[0], who=who,
            )  # fmt: skip
        known.append(who)
    return findings.verdict("numbers", TITLE)
