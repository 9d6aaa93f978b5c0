"""The promise `cap`: never more people inside than allowed.

Checked at every call to the turn in the journal, and at every snapshot.
"""

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.admissions import calls
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Never more people inside than allowed")


def check(evidence: IndexedEvidence) -> Verdict:
    findings, knob_history = Findings(), evidence.knob("max_inside")
    for entry, there in calls(evidence.journal):
        at = evidence.clocks.recorder_time(entry.at)
        findings.checked += 1
        if there > (most := knob_history.highest(at, at)):
            findings.against(
                at,
                _("%(at)s s: %(who)s was let in as no. %(there)s, and at most %(most)s may "
                  "be inside."),
                at=evidence.at(at), who=evidence.name(entry.person), there=there, most=f"{most:g}",
            )  # fmt: skip
    _cap_of_samples(evidence, findings)
    findings.note(_("Around a turn of the knob, the old and the new value both count, for 3 s."))
    return findings.verdict("cap", TITLE)


def _cap_of_samples(evidence: IndexedEvidence, findings: Findings) -> None:
    """When the cap was lowered, those inside may stay, but nobody may be added."""
    knob_history, before = evidence.knob("max_inside"), 0
    for record in sorted(evidence.of("sample"), key=lambda record: record.began):
        if not record.done or "inside" not in record.data:
            continue
        there = record.data["inside"] + record.data.get("ready", 0)
        findings.checked += 1
        if there > (most := knob_history.highest(record.began, record.ended)) and there > before:
            findings.against(
                record.ended,
                _("%(at)s s: the snapshot counted %(there)s called or inside, and at most "
                  "%(most)s may be."),
                at=evidence.at(record.ended), there=there, most=f"{most:g}",
            )  # fmt: skip
        before = there
