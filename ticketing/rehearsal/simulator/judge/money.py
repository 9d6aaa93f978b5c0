"""Every won matches a seat: seats sold, payments kept, tickets, and the gateway's own books."""

from collections import Counter, defaultdict
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.reading import Reading
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

KEPT = "succeeded"
IN_PART = "partially_refunded"
LIVE_TICKETS = frozenset({"valid", "used", "refunding"})


def books(reading: Reading) -> Verdict:
    findings = Findings()
    if any(reading.facts.get(name) for name in ("sold", "payments", "tickets", "charges")):
        _seats_and_tickets(reading, findings)
        _seats_and_payments(reading, findings)
        _payments_and_books(reading, findings)
    if reading.setting.get("payments") is False:
        findings.note(_("This site charges real cards: nobody paid in this rehearsal."))
    return findings.verdict(
        "books", _("Seats sold = payments kept = tickets = the gateway's books")
    )


def _against(reading: Reading, findings: Findings, words: Any, **values: Any) -> None:
    findings.against(reading.ended, words, **values)


def _seats_and_tickets(reading: Reading, findings: Findings) -> None:
    sold = Counter(seat for seat, _person in reading.sold)
    live = [one for one in reading.facts.get("tickets", []) if one["state"] in LIVE_TICKETS]
    tickets = Counter(int(one["seat"]) for one in live)
    findings.checked += len(sold | tickets)
    for seat in sorted(sold | tickets):
        if sold[seat] != 1 or tickets[seat] != 1:
            _against(
                reading, findings,
                _("Seat %(seat)s is sold %(sold)s times and has %(tickets)s tickets."),
                seat=seat, sold=sold[seat], tickets=tickets[seat],
            )  # fmt: skip
    counted = reading.facts.get("seats", {}).get("sold")
    if counted is not None and counted != sum(sold.values()):
        _against(
            reading, findings, _("%(counted)s seats are counted as sold, and %(sold)s are."),
            counted=counted, sold=sum(sold.values()),
        )  # fmt: skip


def _seats_and_payments(reading: Reading, findings: Findings) -> None:
    """A confirmed reservation has its seats and one payment that was kept; nothing else has any."""
    kept: dict[str, list[str]] = defaultdict(list)
    for payment in reading.facts.get("payments", []):
        if payment["state"] in {KEPT, "refunding"}:
            kept[payment["reservation"]].append(payment["number"])
        elif payment["state"] == IN_PART:
            kept.setdefault(payment["reservation"], [])
    owner = dict(reading.sold)
    confirmed: set[int] = set()
    for one in reading.facts.get("reservations", []):
        payments = kept.get(one["code"])
        if one["state"] == "confirmed":
            _bought(reading, findings, one, payments, owner)
            confirmed |= set(one["seats"])
        elif payments and not _under_way(reading, payments):
            _against(
                reading, findings,
                _("%(payment)s of %(who)s was kept, and the reservation %(code)s is %(state)s."),
                payment=payments[0], who=reading.name(int(one["person"])), code=one["code"],
                state=one["state"],
            )  # fmt: skip
    for seat in sorted(owner.keys() - confirmed):
        _against(
            reading, findings, _("Seat %(seat)s is sold to %(who)s without a confirmed "
                                 "reservation."),
            seat=seat, who=reading.name(owner[seat]),
        )  # fmt: skip


def _under_way(reading: Reading, numbers: list[str]) -> bool:
    states = {one["number"]: one["state"] for one in reading.facts.get("payments", [])}
    return all(states[number] == "refunding" for number in numbers)


def _bought(
    reading: Reading,
    findings: Findings,
    one: dict[str, Any],
    payments: list[str] | None,
    owner: dict[int, int],
) -> None:
    findings.checked += 1
    who = reading.name(int(one["person"]))
    if payments is None or len(payments) > 1:
        _against(
            reading, findings,
            _("Reservation %(code)s of %(who)s is confirmed, with %(count)s payments kept."),
            code=one["code"], who=who, count=len(payments or ()),
        )  # fmt: skip
    for seat in one["seats"]:
        if owner.get(seat) != int(one["person"]):
            _against(
                reading, findings, _("%(who)s has bought seat %(seat)s (%(code)s), and it is "
                                     "not sold to them."),
                who=who, seat=seat, code=one["code"],
            )  # fmt: skip


def _payments_and_books(reading: Reading, findings: Findings) -> None:
    charges = reading.facts.get("charges")
    if charges is None:
        findings.note(_("The gateway's own books can't be seen on this site."))
        return
    payments = {one["number"]: one for one in reading.facts.get("payments", [])}
    books: Counter[str] = Counter()
    for charge in charges:
        books[charge["payment"]] += charge["amount"] - charge["refunded"]
    for number in sorted(payments.keys() | books.keys()):
        findings.checked += 1
        ours = _kept(payments.get(number))
        if ours != books[number] and not _is_going_back(payments.get(number)):
            _against(
                reading, findings,
                _("%(payment)s: we have kept %(ours)s, and the gateway has kept %(theirs)s."),
                payment=number, ours=ours, theirs=books[number],
            )  # fmt: skip
    findings.note(
        _("Kept: %(ours)s by our books, %(theirs)s by the gateway's."),
        ours=f"{sum(map(_kept, payments.values())):,}", theirs=f"{sum(books.values()):,}",
    )  # fmt: skip


def _is_going_back(payment: dict[str, Any] | None) -> bool:
    return payment is not None and payment["state"] == "refunding"


def _kept(payment: dict[str, Any] | None) -> int:
    """Of a payment that is under way nothing is kept yet: what was taken must be explained."""
    if payment is None or payment["state"] not in {KEPT, IN_PART, "refunding"}:
        return 0
    return int(payment["amount"]) - int(payment["refunded"])
