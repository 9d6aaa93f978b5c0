"""The promise `left_behind`: nothing is left after the clean-up."""

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Nothing left behind after the clean-up")


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings(checked=len(evidence.left_behind))
    for kind, count in sorted(evidence.left_behind.items()):
        if count:
            findings.against(
                evidence.ended, _("After the clean-up %(count)s of %(kind)s are left."),
                count=count, kind=kind,
            )  # fmt: skip
    return findings.verdict("left_behind", TITLE)
