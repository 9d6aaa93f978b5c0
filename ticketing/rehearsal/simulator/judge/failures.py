"""The promise `failures`: no server error unless something was broken on purpose."""

from collections import Counter

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import RUNNER, Record
from ticketing.rehearsal.simulator.judge.evidence_index import (
    GATEWAY_RECOVERY,
    RECOVERY,
    IndexedEvidence,
)
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("No server error unless something was broken on purpose")

# Sent on purpose when the gateway did not answer in time and nothing was charged.
ALLOWED_CODES = frozenset({"payments_paused"})
# Sent by the site or a proxy during an outage. A 500 is a bug, then too.
OUTAGE_STATUSES = frozenset({502, 503, 504})
SOCKET_ERROR = "server_error"  # sent by a socket before it closes


def check(evidence: IndexedEvidence) -> Verdict:
    findings, excused = Findings(), Counter[str]()
    silent = 0
    for record in evidence.records:
        if record.user == RUNNER or record.action in {"push", "end", "arrive"}:
            continue
        findings.checked += 1
        silent += record.status == 0
        if record.status >= 500 or record.code == SOCKET_ERROR:
            _failure(evidence, findings, excused, record)
    if paused := sum(excused.pop(code, 0) for code in ALLOWED_CODES):
        findings.note(
            _("Told to come back because the gateway was too slow: %(count)s times."), count=paused
        )
    findings.note(
        _("502, 503 and 504 are allowed while a fault is on and %(seconds)s s after it "
          "(%(gateway)s s after the gateway's); a 500 never is. "
          "Allowed here: %(excused)s. Calls without any answer: %(silent)s."),
        seconds=f"{RECOVERY:g}", gateway=f"{GATEWAY_RECOVERY:g}", silent=silent,
        excused=", ".join(f"{count} × {name}" for name, count in excused.most_common()) or "0",
    )  # fmt: skip
    return findings.verdict("failures", TITLE)


def _failure(
    evidence: IndexedEvidence, findings: Findings, excused: Counter[str], record: Record
) -> None:
    if record.code in ALLOWED_CODES:
        excused[record.code] += 1
        return
    fault = (
        evidence.fault_at(record.began, record.ended) if record.status in OUTAGE_STATUSES else None
    )
    if fault is not None:
        excused[f"{record.action} {record.status} ({fault.data.get('fault')})"] += 1
        return
    findings.against(
        record.ended, _("%(at)s s: %(did)s of %(who)s was answered with %(status)s %(code)s."),
        at=evidence.at(record.ended), did=record.action, who=f"#{record.user}",
        status=record.status, code=record.code,
    )  # fmt: skip
