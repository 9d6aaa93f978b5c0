"""The promise `per_person`: nobody has more seats than the limit."""

from collections import Counter, defaultdict

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.ownership import SeatOwnership
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Nobody over the limit per person")


def check(evidence: IndexedEvidence) -> Verdict:
    """Held and bought together, at any moment and in the end."""
    findings, limit = Findings(), evidence.setting.get("limit_per_person")
    if limit is not None:
        _never_too_many(evidence, findings, SeatOwnership(evidence), int(limit))
        _not_too_many_in_the_end(evidence, findings, int(limit))
    return findings.verdict("per_person", TITLE)


def _never_too_many(
    evidence: IndexedEvidence, findings: Findings, ownership: SeatOwnership, limit: int
) -> None:
    steps: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for span in ownership.all:
        steps[span.person] += [(span.start, 1), (span.end, -1)]
    for person, theirs in steps.items():
        findings.checked += 1
        has = 0
        for at, step in sorted(theirs):
            has += step
            if has > limit:
                findings.against(
                    at, _("%(at)s s: %(who)s has %(has)s seats, and the limit is %(limit)s."),
                    at=evidence.at(at), who=evidence.name(person), has=has, limit=limit,
                )  # fmt: skip
                break


def _not_too_many_in_the_end(evidence: IndexedEvidence, findings: Findings, limit: int) -> None:
    bought = Counter(person for _seat, person in evidence.sold)
    for person, seats in bought.items():
        findings.checked += 1
        if seats > limit:
            findings.against(
                evidence.ended, _("In the end %(who)s has %(has)s seats, and the limit is "
                                 "%(limit)s."),
                who=evidence.name(person), has=seats, limit=limit,
            )  # fmt: skip
