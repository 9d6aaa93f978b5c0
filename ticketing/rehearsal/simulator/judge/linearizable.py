"""The promise `linearizable`: what was answered about a seat fits one order of events."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.clocks import FOREVER
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.register import misfit
from ticketing.rehearsal.simulator.judge.seat_operations import FREE, SeatOperation, seat_operations
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("All answers about a seat fit one order of events")


def check(evidence: IndexedEvidence) -> Verdict:
    findings, by_seat, open_ended = Findings(), seat_operations(evidence), 0
    for operations in by_seat.values():
        findings.checked += len(operations)
        open_ended += sum(operation.ended == FOREVER for operation in operations)
        if found := misfit(operations):
            at = evidence.at(found.ended)
            findings.against(found.ended, _text(found), at=at, **_values(evidence, found))
    findings.note(
        _("Holds, ends and reads of %(seats)s seats, each seat for itself; %(open)s of them may "
          "have happened at any time since, or never."), seats=len(by_seat), open=open_ended,
    )  # fmt: skip
    return findings.verdict("linearizable", TITLE)


def _text(found: SeatOperation) -> Any:
    if found.is_read:
        return _("%(at)s s: seat %(seat)s was read as %(before)s, and at no moment of the call can "
                 "that have been so.")  # fmt: skip
    if found.before == FREE:
        return _("%(at)s s: %(who)s held seat %(seat)s (%(after)s), and at no moment of the call "
                 "can it have been free.")  # fmt: skip
    return _("%(at)s s: %(who)s gave seat %(seat)s back (%(before)s), and at no moment of the call "
             "can it have been theirs.")  # fmt: skip


def _values(evidence: IndexedEvidence, found: SeatOperation) -> dict[str, Any]:
    before = _("free") if found.before == FREE else found.before
    return {
        "seat": found.seat,
        "who": f"#{found.user}",
        "before": before,
        "after": found.after,
    }
