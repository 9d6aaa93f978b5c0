"""The promise `tricks`: forged, replayed and queue-skipping calls are refused."""

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.clocks import seconds
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.ownership import SeatOwnership
from ticketing.rehearsal.simulator.judge.stays import stays_of
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Forged, replayed and line-skipping calls refused")

ATTACKS = ("forge", "replay", "skip")


def check(evidence: IndexedEvidence) -> Verdict:
    """Every attack is refused or gets no response, and only people inside hold seats."""
    findings, silent = Findings(), 0
    _check_holders_were_admitted(evidence, findings)
    findings.checked = findings.checked if findings.found else 0
    for record in evidence.of(*ATTACKS):
        if 400 <= record.status < 500:
            findings.checked += 1
        elif record.unknown:
            silent += 1
        else:
            findings.checked += 1
            findings.against(
                record.ended, _("%(at)s s: %(who)s got through with: %(what)s (%(did)s, answer "
                              "%(status)s)."),
                at=evidence.at(record.ended), who=f"#{record.user}",
                what=record.data.get("what", "?"), did=record.action, status=record.status,
            )  # fmt: skip
    if silent:
        findings.note(_("%(count)s got no answer, and count as neither."), count=silent)
    return findings.verdict("tricks", TITLE)


def _check_holders_were_admitted(evidence: IndexedEvidence, findings: Findings) -> None:
    """Who holds seats was let in before, unless the queue was closed."""
    closes = [record.began for record in evidence.of("move") if record.data.get("move") == "close"]
    ownership, clocks = SeatOwnership(evidence), evidence.clocks
    for code, one in ownership.reservations.items():
        stays = stays_of(evidence, int(one["person"]))
        let_in = [stay.admitted.at for stay in stays if stay.admitted]
        let_in += evidence.reported_admissions.get(int(one["person"]), [])
        made = clocks.earliest(seconds(one["created_at"]))
        findings.checked += 1
        if made >= min(closes, default=float("inf")):
            continue
        if not any(clocks.earliest(at) <= made + 2 * clocks.tolerance for at in let_in):
            findings.against(
                made, _("%(at)s s: %(who)s holds seats (%(code)s) without having been let in."),
                at=evidence.at(made), who=evidence.name(int(one["person"])), code=code,
            )  # fmt: skip
