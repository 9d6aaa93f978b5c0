"""The promise `stock`: nobody is called once every seat is sold.

While seats are held, one may come back between two snapshots, so those times prove nothing.
"""

from collections.abc import Iterator
from itertools import pairwise

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.judge.admissions import TICK_SECONDS, calls
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Nobody called without a seat left")

# After this the last tick that counted a free seat is surely over.
SOLD_OUT_SECONDS = 3 * TICK_SECONDS


def check(evidence: IndexedEvidence) -> Verdict:
    findings, spans = Findings(), list(_surely_sold_out(evidence))
    for entry, _there in calls(evidence.journal):
        findings.checked += 1
        at = evidence.clocks.recorder_time(entry.at)
        if any(began < at <= ended for began, ended in spans):
            findings.against(
                at, _("%(at)s s: no. %(number)s (%(who)s) was called, and every seat was sold."),
                at=evidence.at(at), number=entry.number, who=evidence.name(entry.person),
            )  # fmt: skip
    if spans:
        findings.note(
            _("Looked at: %(seconds)s s with every seat sold, without the first %(first)s s."),
            seconds=f"{sum(ended - began for began, ended in spans):.1f}",
            first=f"{SOLD_OUT_SECONDS:g}",
        )  # fmt: skip
    return findings.verdict("stock", TITLE)


def _surely_sold_out(evidence: IndexedEvidence) -> Iterator[tuple[float, float]]:
    """Between two snapshots of which both, and the one before, knew of sold seats only."""
    counted = (record for record in evidence.of("sample") if record.done and "seats" in record.data)
    since: float | None = None
    for record, after in pairwise(sorted(counted, key=lambda record: record.ended)):
        if not (_is_sold_out(record) and _is_sold_out(after)):
            since = None
            continue
        since = record.ended if since is None else since
        began = max(since + evidence.clocks.tolerance + SOLD_OUT_SECONDS, record.ended)
        if began < after.began:
            yield began, after.began


def _is_sold_out(record: Record) -> bool:
    seats = record.data["seats"]
    left = sum(int(seats[name]) for name in ("free", "held", "paying"))
    return bool(seats["sold"]) and not left
