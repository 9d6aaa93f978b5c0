"""The promise `settled`: what became of a charge is known soon, also after a fault."""

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("No payment unsettled long after a fault")

ALLOWED_SECONDS = 15.0


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings()
    for record, seconds in evidence.ages("oldest_charge_seconds"):
        findings.checked += 1
        if seconds > ALLOWED_SECONDS and not evidence.fault_at(
            record.began, record.ended, ALLOWED_SECONDS
        ):
            findings.against(
                record.began, _("%(at)s s: a payment is not settled after %(seconds)s s."),
                at=evidence.at(record.began), seconds=f"{seconds:.1f}",
            )  # fmt: skip
    findings.note(
        _("Within %(seconds)s s, or %(seconds)s s after the last fault."),
        seconds=f"{ALLOWED_SECONDS:g}",
    )
    return findings.verdict("settled", TITLE)
