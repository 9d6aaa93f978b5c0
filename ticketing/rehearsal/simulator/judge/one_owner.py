"""The promise `one_owner`: no seat has two owners at any moment."""

from collections import defaultdict

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.clocks import FOREVER
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.ownership import (
    LIVE_STATES,
    OwnedSpan,
    SeatOwnership,
)
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("No seat with two owners at any moment")


def check(evidence: IndexedEvidence) -> Verdict:
    findings, ownership = Findings(), SeatOwnership(evidence)
    _at_every_moment(evidence, findings, ownership)
    _as_confirmed(evidence, findings, ownership)
    _in_the_end(evidence, findings)
    findings.note(
        _("A seat counts as somebody's from the answer until the first thing that could have ended "
          "it was under way; deadlines by the fastest clock. Clocks: %(offset)s s apart, ± "
          "%(by)s s."),
        offset=f"{evidence.clocks.offset:.2f}", by=f"{evidence.clocks.tolerance:.2f}",
    )  # fmt: skip
    return findings.verdict("one_owner", TITLE)


def _at_every_moment(
    evidence: IndexedEvidence, findings: Findings, ownership: SeatOwnership
) -> None:
    by_seat: dict[int, list[OwnedSpan]] = defaultdict(list)
    for span in ownership.all:
        by_seat[span.seat].append(span)
    for theirs in by_seat.values():
        findings.checked += len(theirs)
        theirs.sort(key=lambda span: span.start)
        reach = theirs[0]
        for span in theirs[1:]:
            if span.start < reach.end and span.code != reach.code:
                _two_owners(evidence, findings, reach, span)
            reach = max(reach, span, key=lambda one: one.end)


def _two_owners(
    evidence: IndexedEvidence, findings: Findings, one: OwnedSpan, other: OwnedSpan
) -> None:
    until = _("for good") if one.end == FOREVER else evidence.at(one.end)
    findings.against(
        other.start,
        _("%(at)s s: seat %(seat)s became %(whom)s's (%(other)s), and was %(who)s's "
          "(%(code)s) from "
          "%(start)s to %(until)s."),
        at=evidence.at(other.start), seat=one.seat, whom=evidence.name(other.person),
        other=other.code, who=evidence.name(one.person), code=one.code,
        start=evidence.at(one.start), until=until,
    )  # fmt: skip


def _as_confirmed(evidence: IndexedEvidence, findings: Findings, ownership: SeatOwnership) -> None:
    """A buyer whose payment was confirmed has the seats, unless they cancelled."""
    sold = set(evidence.sold)
    for code, hold in ownership.holds.items():
        confirmed = [
            ownership.confirmed_sales[one]
            for one in ownership.payments_of[code]
            if one in ownership.confirmed_sales
        ]
        if not confirmed or any(one in ownership.cancelled for one in ownership.payments_of[code]):
            continue
        for seat in hold.seats:
            findings.checked += 1
            if (seat, hold.person) not in sold:
                findings.against(
                    confirmed[0].ended,
                    _("%(at)s s: %(who)s was told that seat %(seat)s is paid, and in the end "
                      "it is not theirs."),
                    at=evidence.at(confirmed[0].ended), who=evidence.name(hold.person), seat=seat,
                )  # fmt: skip


def _in_the_end(evidence: IndexedEvidence, findings: Findings) -> None:
    """Each seat has one live reservation and one owner in the final rows."""
    owners: dict[int, list[str]] = defaultdict(list)
    for one in evidence.facts.get("reservations", []):
        for seat in one["seats"] if one["state"] in LIVE_STATES else ():
            owners[seat].append(f"{evidence.name(int(one['person']))} ({one['code']})")
    buyers: dict[int, list[str]] = defaultdict(list)
    for seat, person in evidence.sold:
        buyers[seat].append(evidence.name(person))
    findings.checked += len(owners)
    for seat, names in (*owners.items(), *buyers.items()):
        if len(names) > 1:
            findings.against(
                evidence.ended, _("In the end seat %(seat)s belongs to %(names)s."),
                seat=seat, names=", ".join(sorted(names)),
            )  # fmt: skip
