"""The promise `together`: a party is called at one moment, and has the seats of one person."""

from collections import Counter
from dataclasses import dataclass, field

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import JournalEntry
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.parties import Parties
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Parties called together, with one limit")


@dataclass
class Call:
    """The call of a party: who was in it, and who was called with the leader."""

    leader: JournalEntry
    companions: list[int]
    called: set[int] = field(default_factory=set)


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings()
    calls = _calls(evidence, findings)
    for call in calls:
        for person in call.companions:
            if person not in call.called:
                _left_behind(evidence, findings, call, person)
    limit = evidence.setting.get("limit_per_person")
    if limit is not None:
        _one_limit(evidence, findings, calls, int(limit))
    findings.note(_("Parties that were called: %(count)s."), count=len(calls))
    return findings.verdict("together", TITLE)


def _calls(evidence: IndexedEvidence, findings: Findings) -> list[Call]:
    """The calls of all parties; a companion who is called without one counts against it.

    Companions who are absent are taken out before the call.
    """
    parties, calls = Parties(), dict[int, Call]()
    for entry in evidence.journal:
        findings.checked += entry.kind == "ready"
        if entry.kind == "ready" and parties.is_companion(entry.person):
            _companion_called(evidence, findings, calls.get(entry.number), entry)
        elif entry.kind == "ready" and (companions := parties.companions_of(entry.person)):
            calls[entry.number] = Call(entry, companions)
        parties.apply(entry)
    return list(calls.values())


def _companion_called(
    evidence: IndexedEvidence, findings: Findings, call: Call | None, entry: JournalEntry
) -> None:
    if call and call.leader.person == entry.leader and call.leader.at == entry.at:
        call.called.add(entry.person)
        return
    findings.against(
        evidence.clocks.recorder_time(entry.at),
        _("%(at)s s: %(who)s was called without the leader of their party."),
        at=evidence.at_server(entry.at), who=evidence.name(entry.person),
    )  # fmt: skip


def _left_behind(evidence: IndexedEvidence, findings: Findings, call: Call, person: int) -> None:
    findings.against(
        evidence.clocks.recorder_time(call.leader.at),
        _("%(at)s s: %(leader)s (no. %(number)s) was called, and %(who)s of the same party was "
          "not."),
        at=evidence.at_server(call.leader.at), leader=evidence.name(call.leader.person),
        number=call.leader.number, who=evidence.name(person),
    )  # fmt: skip


def _one_limit(
    evidence: IndexedEvidence, findings: Findings, calls: list[Call], limit: int
) -> None:
    bought = Counter(person for _seat, person in evidence.sold)
    for call in calls:
        seats = sum(bought[person] for person in (call.leader.person, *call.called))
        if seats > limit:
            findings.against(
                evidence.ended,
                _("The party of %(leader)s (no. %(number)s) has %(seats)s seats, and the limit is "
                  "%(limit)s."),
                leader=evidence.name(call.leader.person), number=call.leader.number,
                seats=seats, limit=limit,
            )  # fmt: skip
