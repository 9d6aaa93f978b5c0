"""The promise `money`: at every read, what the gateway keeps is what the books say.

A read is one statement over our payments and the gateway's ledger, summed by the payments' states.
Payments under way may differ. What people were told bounds both from below; what they can have
begun to pay bounds the books from above.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.ownership import SeatOwnership
from ticketing.rehearsal.simulator.judge.seat_operations import REFUNDED
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Charged less refunded = the books, at every read")

KEPT = frozenset({"succeeded", "partially_refunded"})
SETTLED = KEPT | {"refunded"}


def check(evidence: IndexedEvidence) -> Verdict:
    findings, reported = Findings(), _ReportedSums(evidence)
    reads = [record for record in evidence.of("books") if record.done]
    for read in reads:
        findings.checked += 1
        rows = {row["state"]: row for row in read.data.get("payments", ())}
        _settled_agree(evidence, findings, read, rows)
        _matches_reports(evidence, findings, read, rows, reported)
    if reads and not any(_ledger_is_known(record) for record in reads):
        findings.note(_("The gateway's own books can't be seen on this site."))
    return findings.verdict("money", TITLE)


def _settled_agree(
    evidence: IndexedEvidence, findings: Findings, read: Record, rows: dict[str, dict[str, Any]]
) -> None:
    """No payment that is settled differs from the gateway's ledger, whatever its state."""
    for state, row in rows.items():
        if row["charged"] is None:
            continue
        ours, theirs = _kept(row) if state in KEPT else 0, row["charged"] - row["returned"]
        if theirs < 0 or (state in SETTLED and ours != theirs):
            findings.against(
                read.ended,
                _("%(at)s s: of the payments that are %(state)s we keep %(ours)s, and the gateway "
                  "keeps %(theirs)s."),
                at=evidence.at(read.ended), state=state, ours=f"{ours:,}", theirs=f"{theirs:,}",
            )  # fmt: skip


def _matches_reports(
    evidence: IndexedEvidence,
    findings: Findings,
    read: Record,
    rows: dict[str, dict[str, Any]],
    reported: "_ReportedSums",
) -> None:
    least, most = reported.least(read), reported.most(read)
    books = sum(_kept(row) for state, row in rows.items() if state in KEPT | {"refunding"})
    if not least <= books <= most:
        findings.against(
            read.ended,
            _("%(at)s s: the books say %(books)s, and by what people were told it is between "
              "%(least)s and %(most)s."),
            at=evidence.at(read.ended), books=f"{books:,}", least=f"{least:,}", most=f"{most:,}",
        )  # fmt: skip
    if _ledger_is_known(read):
        theirs = sum(row["charged"] - row["returned"] for row in rows.values())
        if theirs < least:
            findings.against(
                read.ended,
                _("%(at)s s: the gateway keeps %(theirs)s, and people were told of %(least)s."),
                at=evidence.at(read.ended), theirs=f"{theirs:,}", least=f"{least:,}",
            )  # fmt: skip


def _kept(row: dict[str, Any]) -> int:
    return int(row["amount"]) - int(row["refunded"])


def _back(payment: dict[str, Any]) -> int:
    """What was refunded of the price; of a wrong charge more may have gone back."""
    return min(int(payment["refunded"]), int(payment["amount"]))


def _ledger_is_known(read: Record) -> bool:
    return all(row["charged"] is not None for row in read.data.get("payments", ()))


class _Sums:
    """Amounts with their times, summed up to a time."""

    def __init__(self, amounts: Iterable[tuple[float, int]]) -> None:
        ordered = sorted(amounts)
        self.times = [at for at, _amount in ordered]
        self.sums = [0, *accumulate(amount for _at, amount in ordered)]

    def before(self, time: float) -> int:
        return self.sums[bisect_left(self.times, time)]

    def until(self, time: float) -> int:
        return self.sums[bisect_right(self.times, time)]


class _ReportedSums:
    """What must and what can have been kept at a time, by the answers that people got."""

    def __init__(self, evidence: IndexedEvidence) -> None:
        self.ownership = SeatOwnership(evidence)
        rows = {one["number"]: one for one in evidence.facts.get("payments", [])}
        sales, cancelled = self.ownership.confirmed_sales, self.ownership.cancelled
        self.paid = _Sums(
            (sales[number].ended, one["amount"]) for number, one in rows.items() if number in sales
        )
        self.may_be_back = _Sums(
            (cancelled[number], _back(one)) for number, one in rows.items() if number in cancelled
        )
        self.begun = _Sums(
            (self._begun_at(one["reservation"]), one["amount"]) for one in rows.values()
        )
        back = self._reported_refunds(evidence)
        self.back = _Sums(
            (back[number], _back(one)) for number, one in rows.items() if number in back
        )

    def least(self, read: Record) -> int:
        return self.paid.before(read.began) - self.may_be_back.until(read.ended)

    def most(self, read: Record) -> int:
        return self.begun.until(read.ended) - self.back.before(read.began)

    def _begun_at(self, reservation: str) -> float:
        pays = self.ownership.pays.get(reservation, ())
        return min((record.began for record in pays), default=float("-inf"))

    def _reported_refunds(self, evidence: IndexedEvidence) -> dict[str, float]:
        """When a buyer was first told that the money is back."""
        found: dict[str, float] = defaultdict(lambda: float("inf"))
        for record in evidence.of("cancel", "payment_status"):
            if record.done and record.data.get("state") in REFUNDED:
                payment = record.data.get("payment", "")
                found[payment] = min(found[payment], record.ended)
        return found
