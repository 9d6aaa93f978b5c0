"""The promise `leaked`: whoever has bought is not inside any more, also after a fault."""

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("No place taken by somebody who has bought")

ALLOWED_SECONDS = 10.0


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings()
    nobody_at = float("-inf")  # when a snapshot last showed nobody
    for record, since_paying in evidence.ages("oldest_leak_seconds"):
        findings.checked += 1
        if not since_paying:
            nobody_at = record.began
        # A payment counts from the call that asked for it: they may have bought just now.
        seconds = min(since_paying, record.ended - nobody_at)
        if seconds > ALLOWED_SECONDS and not evidence.fault_at(
            record.began, record.ended, ALLOWED_SECONDS
        ):
            findings.against(
                record.began, _("%(at)s s: somebody is inside %(seconds)s s after they bought."),
                at=evidence.at(record.began), seconds=f"{seconds:.1f}",
            )  # fmt: skip
    findings.note(
        _("Within %(seconds)s s, or %(seconds)s s after the last fault."),
        seconds=f"{ALLOWED_SECONDS:g}",
    )
    return findings.verdict("leaked", TITLE)
