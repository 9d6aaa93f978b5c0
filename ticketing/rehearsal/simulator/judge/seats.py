"""Whose seat is it: at every moment one owner, and in the end the one who was told so."""

from collections import Counter, defaultdict

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.judge.claims import Claim, Claims
from ticketing.rehearsal.simulator.judge.clocks import FOREVER
from ticketing.rehearsal.simulator.judge.reading import Reading
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

LIVE = frozenset({"held", "paying", "confirmed"})


def one_owner(reading: Reading) -> Verdict:
    findings, claims = Findings(), Claims(reading)
    _at_every_moment(reading, findings, claims)
    _as_people_were_told(reading, findings, claims)
    _in_the_end(reading, findings)
    findings.note(
        _("A seat counts as somebody's from the answer until the first thing that could have ended "
          "it was under way; deadlines by the fastest clock. Clocks: %(offset)s s apart, ± "
          "%(by)s s."),
        offset=f"{reading.clocks.offset:.2f}", by=f"{reading.clocks.tolerance:.2f}",
    )  # fmt: skip
    return findings.verdict("one_owner", _("No seat with two owners at any moment"))


def _at_every_moment(reading: Reading, findings: Findings, claims: Claims) -> None:
    by_seat: dict[int, list[Claim]] = defaultdict(list)
    for claim in claims.all:
        by_seat[claim.seat].append(claim)
    for theirs in by_seat.values():
        findings.checked += len(theirs)
        theirs.sort(key=lambda claim: claim.start)
        reach = theirs[0]
        for claim in theirs[1:]:
            if claim.start < reach.end and claim.code != reach.code:
                _two_owners(reading, findings, reach, claim)
            reach = max(reach, claim, key=lambda one: one.end)


def _two_owners(reading: Reading, findings: Findings, one: Claim, other: Claim) -> None:
    until = _("for good") if one.end == FOREVER else reading.at(one.end)
    findings.against(
        other.start,
        _("%(at)s s: seat %(seat)s became %(whom)s's (%(other)s), and was %(who)s's "
          "(%(code)s) from "
          "%(start)s to %(until)s."),
        at=reading.at(other.start), seat=one.seat, whom=reading.name(other.person),
        other=other.code, who=reading.name(one.person), code=one.code,
        start=reading.at(one.start), until=until,
    )  # fmt: skip


def _as_people_were_told(reading: Reading, findings: Findings, claims: Claims) -> None:
    """Who was told that it is paid has the seats, unless they gave them back."""
    sold = set(reading.sold)
    for code, hold in claims.holds.items():
        told = [
            claims.told_sold[one] for one in claims.payments_of[code] if one in claims.told_sold
        ]
        if not told or any(one in claims.cancelled for one in claims.payments_of[code]):
            continue
        for seat in hold.seats:
            findings.checked += 1
            if (seat, hold.person) not in sold:
                findings.against(
                    told[0].ended,
                    _("%(at)s s: %(who)s was told that seat %(seat)s is paid, and in the end "
                      "it is not theirs."),
                    at=reading.at(told[0].ended), who=reading.name(hold.person), seat=seat,
                )  # fmt: skip


def _in_the_end(reading: Reading, findings: Findings) -> None:
    """One live reservation for each seat, and one row that says to whom it is sold."""
    owners: dict[int, list[str]] = defaultdict(list)
    for one in reading.facts.get("reservations", []):
        for seat in one["seats"] if one["state"] in LIVE else ():
            owners[seat].append(f"{reading.name(int(one['person']))} ({one['code']})")
    buyers: dict[int, list[str]] = defaultdict(list)
    for seat, person in reading.sold:
        buyers[seat].append(reading.name(person))
    findings.checked += len(owners)
    for seat, names in (*owners.items(), *buyers.items()):
        if len(names) > 1:
            findings.against(
                reading.ended, _("In the end seat %(seat)s belongs to %(names)s."),
                seat=seat, names=", ".join(sorted(names)),
            )  # fmt: skip


def per_person(reading: Reading) -> Verdict:
    """Held and bought together, at any moment and in the end."""
    findings, limit = Findings(), reading.setting.get("limit_per_person")
    if limit is not None:
        _never_too_many(reading, findings, Claims(reading), int(limit))
        _not_too_many_in_the_end(reading, findings, int(limit))
    return findings.verdict("per_person", _("Nobody over the limit per person"))


def _never_too_many(reading: Reading, findings: Findings, claims: Claims, limit: int) -> None:
    steps: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for claim in claims.all:
        steps[claim.person] += [(claim.start, 1), (claim.end, -1)]
    for person, theirs in steps.items():
        findings.checked += 1
        has = 0
        for at, step in sorted(theirs):
            has += step
            if has > limit:
                findings.against(
                    at, _("%(at)s s: %(who)s has %(has)s seats, and the limit is %(limit)s."),
                    at=reading.at(at), who=reading.name(person), has=has, limit=limit,
                )  # fmt: skip
                break


def _not_too_many_in_the_end(reading: Reading, findings: Findings, limit: int) -> None:
    bought = Counter(person for _seat, person in reading.sold)
    for person, seats in bought.items():
        findings.checked += 1
        if seats > limit:
            findings.against(
                reading.ended, _("In the end %(who)s has %(has)s seats, and the limit is "
                                 "%(limit)s."),
                who=reading.name(person), has=seats, limit=limit,
            )  # fmt: skip
