"""The promise `maps`: no seat is shown as free long after it was taken."""

from collections import defaultdict

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.ownership import OwnedSpan, SeatOwnership
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("No seat shown as free long after it was taken")

# Changes are pushed four times a second; a busy site or simulator may take longer.
LATE_SECONDS = 10.0


def check(evidence: IndexedEvidence) -> Verdict:
    """A seat chosen from a live map was not owned by another person for long."""
    findings, taken = Findings(), defaultdict[int, list[OwnedSpan]](list)
    for span in SeatOwnership(evidence).all:
        taken[span.seat].append(span)
    for record in evidence.of("hold"):
        if record.data.get("map") == "live":
            for seat in record.data["asked"]:
                findings.checked += 1
                for span in taken[seat]:
                    _check_age(evidence, findings, record, span)
    findings.note(
        _("Seats that people chose from a map that is pushed what changes. Allowed for %(late)s s "
          "after a seat was taken, and where a fault was on since."), late=f"{LATE_SECONDS:g}",
    )  # fmt: skip
    return findings.verdict("maps", TITLE)


def _check_age(
    evidence: IndexedEvidence, findings: Findings, record: Record, span: OwnedSpan
) -> None:
    chosen = record.data.get("chosen", record.began)
    age = chosen - span.start
    if age <= LATE_SECONDS or chosen >= span.end:
        return
    if not evidence.fault_at(span.start, chosen):
        findings.against(
            chosen,
            _("%(at)s s: %(who)s was shown seat %(seat)s as free, and it was %(whom)s's "
              "(%(code)s) for %(age)s s."),
            at=evidence.at(chosen), who=f"#{record.user}", seat=span.seat,
            whom=evidence.name(span.person), code=span.code, age=f"{age:.1f}",
        )  # fmt: skip
