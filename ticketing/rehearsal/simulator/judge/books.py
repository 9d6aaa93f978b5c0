"""The promise `books`: seats sold, payments kept, tickets and the gateway's ledger agree."""

from collections import Counter, defaultdict
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Seats sold = payments kept = tickets = the gateway's books")

KEPT = "succeeded"
IN_PART = "partially_refunded"
LIVE_TICKETS = frozenset({"valid", "used", "refunding"})


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings()
    if any(evidence.facts.get(name) for name in ("sold", "payments", "tickets", "charges")):
        _seats_and_tickets(evidence, findings)
        _seats_and_payments(evidence, findings)
        _payments_and_ledger(evidence, findings)
    if evidence.setting.get("payments") is False:
        findings.note(_("This site charges real cards: nobody paid in this rehearsal."))
    return findings.verdict("books", TITLE)


def _against(evidence: IndexedEvidence, findings: Findings, words: Any, **values: Any) -> None:
    findings.against(evidence.ended, words, **values)


def _seats_and_tickets(evidence: IndexedEvidence, findings: Findings) -> None:
    sold = Counter(seat for seat, _person in evidence.sold)
    live = [one for one in evidence.facts.get("tickets", []) if one["state"] in LIVE_TICKETS]
    tickets = Counter(int(one["seat"]) for one in live)
    findings.checked += len(sold | tickets)
    for seat in sorted(sold | tickets):
        if sold[seat] != 1 or tickets[seat] != 1:
            _against(
                evidence, findings,
                _("Seat %(seat)s is sold %(sold)s times and has %(tickets)s tickets."),
                seat=seat, sold=sold[seat], tickets=tickets[seat],
            )  # fmt: skip
    counted = evidence.facts.get("seats", {}).get("sold")
    if counted is not None and counted != sum(sold.values()):
        _against(
            evidence, findings, _("%(counted)s seats are counted as sold, and %(sold)s are."),
            counted=counted, sold=sum(sold.values()),
        )  # fmt: skip


def _seats_and_payments(evidence: IndexedEvidence, findings: Findings) -> None:
    """A confirmed reservation has its seats and one kept payment; others have neither."""
    kept: dict[str, list[str]] = defaultdict(list)
    for payment in evidence.facts.get("payments", []):
        if payment["state"] in {KEPT, "refunding"}:
            kept[payment["reservation"]].append(payment["number"])
        elif payment["state"] == IN_PART:
            kept.setdefault(payment["reservation"], [])
    owner = dict(evidence.sold)
    confirmed: set[int] = set()
    for one in evidence.facts.get("reservations", []):
        payments = kept.get(one["code"])
        if one["state"] == "confirmed":
            _confirmed(evidence, findings, one, payments, owner)
            confirmed |= set(one["seats"])
        elif payments and not _under_way(evidence, payments):
            _against(
                evidence, findings,
                _("%(payment)s of %(who)s was kept, and the reservation %(code)s is %(state)s."),
                payment=payments[0], who=evidence.name(int(one["person"])), code=one["code"],
                state=one["state"],
            )  # fmt: skip
    for seat in sorted(owner.keys() - confirmed):
        _against(
            evidence, findings, _("Seat %(seat)s is sold to %(who)s without a confirmed "
                                 "reservation."),
            seat=seat, who=evidence.name(owner[seat]),
        )  # fmt: skip


def _under_way(evidence: IndexedEvidence, numbers: list[str]) -> bool:
    states = {one["number"]: one["state"] for one in evidence.facts.get("payments", [])}
    return all(states[number] == "refunding" for number in numbers)


def _confirmed(
    evidence: IndexedEvidence,
    findings: Findings,
    one: dict[str, Any],
    payments: list[str] | None,
    owner: dict[int, int],
) -> None:
    findings.checked += 1
    who = evidence.name(int(one["person"]))
    if payments is None or len(payments) > 1:
        _against(
            evidence, findings,
            _("Reservation %(code)s of %(who)s is confirmed, with %(count)s payments kept."),
            code=one["code"], who=who, count=len(payments or ()),
        )  # fmt: skip
    for seat in one["seats"]:
        if owner.get(seat) != int(one["person"]):
            _against(
                evidence, findings, _("%(who)s has bought seat %(seat)s (%(code)s), and it is "
                                     "not sold to them."),
                who=who, seat=seat, code=one["code"],
            )  # fmt: skip


def _payments_and_ledger(evidence: IndexedEvidence, findings: Findings) -> None:
    charges = evidence.facts.get("charges")
    if charges is None:
        findings.note(_("The gateway's own books can't be seen on this site."))
        return
    payments = {one["number"]: one for one in evidence.facts.get("payments", [])}
    ledger: Counter[str] = Counter()
    for charge in charges:
        ledger[charge["payment"]] += charge["amount"] - charge["refunded"]
    for number in sorted(payments.keys() | ledger.keys()):
        findings.checked += 1
        ours = _kept(payments.get(number))
        if ours != ledger[number] and not _is_going_back(payments.get(number)):
            _against(
                evidence, findings,
                _("%(payment)s: we have kept %(ours)s, and the gateway has kept %(theirs)s."),
                payment=number, ours=ours, theirs=ledger[number],
            )  # fmt: skip
    findings.note(
        _("Kept: %(ours)s by our books, %(theirs)s by the gateway's."),
        ours=f"{sum(map(_kept, payments.values())):,}", theirs=f"{sum(ledger.values()):,}",
    )  # fmt: skip


def _is_going_back(payment: dict[str, Any] | None) -> bool:
    return payment is not None and payment["state"] == "refunding"


def _kept(payment: dict[str, Any] | None) -> int:
    """The amount kept; of a payment under way nothing, so that a charge must be explained."""
    if payment is None or payment["state"] not in {KEPT, IN_PART, "refunding"}:
        return 0
    return int(payment["amount"]) - int(payment["refunded"])
