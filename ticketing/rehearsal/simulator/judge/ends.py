"""The promise `ends`: every user ended in an explained state, and the site's rows agree."""

from collections import Counter, defaultdict
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import RUNNER, Record
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.stays import Stay, stays_of
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Every person ended in an explained state")

BOUGHT, GAVE_BACK = "bought", "gave_back"
KNOWN = frozenset(
    {
        *(BOUGHT, GAVE_BACK, "left", "gave_up", "expired", "sold_out", "closed"),
        *("turned_away", "refused", "declined"),
    }
)


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings()
    ends_of: dict[int, list[Record]] = defaultdict(list)
    for record in evidence.of("end"):
        ends_of[record.user].append(record)
    arrived = {record.user for record in evidence.of("arrive") if record.user != RUNNER}
    sold = Counter(person for _seat, person in evidence.sold)
    unsure = _unsure(evidence)
    for who in sorted(arrived | ends_of.keys()):
        findings.checked += 1
        _one_end(evidence, findings, who, ends_of[who])
        if ends_of[who]:
            _agrees(evidence, findings, ends_of[who][-1], sold, who in unsure)
    _strangers(evidence, findings)
    if unsure:
        findings.note(
            _("%(count)s people did not hear what became of a payment; the site's record is "
              "what counts."),
            count=len(unsure),
        )  # fmt: skip
    return findings.verdict("ends", TITLE)


def _unsure(evidence: IndexedEvidence) -> set[int]:
    """Users who did not learn the final state of a payment."""
    last: dict[tuple[int, str], Record] = {}
    for record in sorted(
        evidence.of("pay", "window", "confirm", "payment_status", "cancel"),
        key=lambda one: one.ended,
    ):
        if record.unknown or record.data.get("state") or record.action in {"pay", "window"}:
            last[record.user, str(record.data.get("payment"))] = record
    final = {"SUCCEEDED", "FAILED", "CANCELLED", "REFUNDED", "PARTIALLY_REFUNDED"}
    return {
        who
        for (who, _payment), record in last.items()
        if record.unknown or str(record.data.get("state", "")).upper() not in final
    }


def _one_end(evidence: IndexedEvidence, findings: Findings, who: int, theirs: list[Record]) -> None:
    if len(theirs) != 1:
        findings.against(
            theirs[-1].ended if theirs else evidence.ended,
            _("%(who)s has %(count)s ends instead of one."), who=f"#{who}", count=len(theirs),
        )  # fmt: skip
    elif theirs[0].data.get("state") not in KNOWN:
        findings.against(
            theirs[0].ended, _("%(at)s s: %(who)s ended as “%(state)s”, which explains nothing."),
            at=evidence.at(theirs[0].ended), who=f"#{who}", state=theirs[0].data.get("state"),
        )  # fmt: skip


def _agrees(
    evidence: IndexedEvidence, findings: Findings, end: Record, sold: Counter[int], unsure: bool
) -> None:
    person, state = evidence.person_of.get(end.user, -1), end.data.get("state")
    stays = stays_of(evidence, person)
    was_let_in = person in evidence.reported_admissions or any(stay.admitted for stay in stays)
    words = _disagreement(state, sold[person], unsure, stays, was_let_in)
    if words is None and state == "turned_away" and _was_in_line(evidence, stays, end.began):
        words = _("%(at)s s: %(who)s was turned away, and the journal has them in line.")
    if words is not None:
        findings.against(
            end.ended, words, at=evidence.at(end.ended), who=f"#{end.user}", state=state,
            seats=sold[person],
        )  # fmt: skip


def _disagreement(state: Any, seats: int, unsure: bool, stays: list[Stay], was_let_in: bool) -> Any:
    """What in the site's rows contradicts this end, or None."""
    if state == BOUGHT and not seats:
        return _("%(at)s s: %(who)s ended as having bought, and has no seat.")
    if state != BOUGHT and seats and not (unsure or state == GAVE_BACK):
        return _("%(at)s s: %(who)s ended as “%(state)s”, and has %(seats)s seats.")
    if state == BOUGHT and not was_let_in:
        return _("%(at)s s: %(who)s has bought, and the journal never let them in.")
    if any(stay.ended is None for stay in stays):
        return _("%(at)s s: %(who)s ended as “%(state)s”, and the journal has no end for them.")
    return None


def _was_in_line(evidence: IndexedEvidence, stays: list[Stay], at: float) -> bool:
    """Whether a stay lasted beyond that time; an earlier one is no contradiction."""
    earliest = evidence.clocks.earliest
    return any(stay.ended is not None and earliest(stay.ended.at) > at for stay in stays)


def _strangers(evidence: IndexedEvidence, findings: Findings) -> None:
    for person, entries in evidence.entries_of.items():
        if evidence.user_of and person not in evidence.user_of:
            findings.against(
                entries[0][1].at, _("The journal knows %(who)s, who is nobody of this rehearsal."),
                who=evidence.name(person),
            )  # fmt: skip
