"""The promise `paused`: nobody is let in during a pause."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.admissions import TICK_SECONDS, calls, pauses
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Nobody let in during a pause")

# After this the last tick that did not know of the pause is surely over.
PAUSE_SECONDS = 3 * TICK_SECONDS


def check(evidence: IndexedEvidence) -> Verdict:
    """Nobody is called while the queue is surely paused."""
    findings = Findings()
    spans = list(_surely_paused(evidence))
    findings.checked = len(spans)
    for entry, _there in calls(evidence.journal) if spans else ():
        at = evidence.clocks.recorder_time(entry.at)
        if any(began < at < ended for began, ended in spans):
            findings.against(
                at, _("%(at)s s: no. %(number)s (%(who)s) was called during a pause."),
                at=evidence.at(at), number=entry.number, who=evidence.name(entry.person),
            )  # fmt: skip
    if spans:
        findings.note(
            _("Looked at: %(seconds)s s of pause, without the first %(first)s s of each; up to "
              "%(waiting)s people waited meanwhile."),
            seconds=f"{sum(ended - began for began, ended in spans):.1f}",
            first=f"{PAUSE_SECONDS:g}", waiting=_most_waiting(evidence, spans),
        )  # fmt: skip
    return findings.verdict("paused", TITLE)


def _surely_paused(evidence: IndexedEvidence) -> Iterator[tuple[float, float]]:
    for began, ended in pauses(evidence):
        began += evidence.clocks.tolerance + PAUSE_SECONDS
        if began < ended:
            yield began, ended


def _most_waiting(evidence: IndexedEvidence, spans: list[tuple[float, float]]) -> int:
    seen = (
        int(record.data.get("waiting") or 0)
        for record in evidence.of("sample")
        if record.done and any(began < record.ended < ended for began, ended in spans)
    )
    return max(seen, default=0)
