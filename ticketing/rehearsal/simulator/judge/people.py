"""Every person ended in a way that is explained, and the site's own records agree."""

from collections import Counter, defaultdict
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import STAGE, Deed
from ticketing.rehearsal.simulator.judge.claims import Claims
from ticketing.rehearsal.simulator.judge.clocks import seconds
from ticketing.rehearsal.simulator.judge.reading import Reading
from ticketing.rehearsal.simulator.judge.stays import Stay, stays_of
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

BOUGHT, GAVE_BACK = "bought", "gave_back"
KNOWN = frozenset(
    {
        *(BOUGHT, GAVE_BACK, "left", "gave_up", "expired", "sold_out", "closed"),
        *("turned_away", "refused", "declined"),
    }
)


def ends(reading: Reading) -> Verdict:
    findings = Findings()
    told: dict[int, list[Deed]] = defaultdict(list)
    for deed in reading.of("end"):
        told[deed.who].append(deed)
    arrived = {deed.who for deed in reading.of("arrive") if deed.who != STAGE}
    sold = Counter(person for _seat, person in reading.sold)
    unsure = _unsure(reading)
    for who in sorted(arrived | told.keys()):
        findings.checked += 1
        _one_end(reading, findings, who, told[who])
        if told[who]:
            _agrees(reading, findings, told[who][-1], sold, who in unsure)
    _strangers(reading, findings)
    if unsure:
        findings.note(
            _("%(count)s people did not hear what became of a payment; the site's record is "
              "what counts."),
            count=len(unsure),
        )  # fmt: skip
    return findings.verdict("ends", _("Every person ended in an explained state"))


def _unsure(reading: Reading) -> set[int]:
    """Who did not hear the end of a payment: it may have gone either way."""
    last: dict[tuple[int, str], Deed] = {}
    for deed in sorted(
        reading.of("pay", "window", "confirm", "ask", "cancel"), key=lambda one: one.ended
    ):
        if deed.unknown or deed.saw.get("state") or deed.did in {"pay", "window"}:
            last[deed.who, str(deed.saw.get("payment"))] = deed
    final = {"SUCCEEDED", "FAILED", "CANCELLED", "REFUNDED", "PARTIALLY_REFUNDED"}
    return {
        who
        for (who, _payment), deed in last.items()
        if deed.unknown or str(deed.saw.get("state", "")).upper() not in final
    }


def _one_end(reading: Reading, findings: Findings, who: int, theirs: list[Deed]) -> None:
    if len(theirs) != 1:
        findings.against(
            theirs[-1].ended if theirs else reading.ended,
            _("%(who)s has %(count)s ends instead of one."), who=f"#{who}", count=len(theirs),
        )  # fmt: skip
    elif theirs[0].saw.get("state") not in KNOWN:
        findings.against(
            theirs[0].ended, _("%(at)s s: %(who)s ended as “%(state)s”, which explains nothing."),
            at=reading.at(theirs[0].ended), who=f"#{who}", state=theirs[0].saw.get("state"),
        )  # fmt: skip


def _agrees(
    reading: Reading, findings: Findings, end: Deed, sold: Counter[int], unsure: bool
) -> None:
    person, state = reading.person.get(end.who, -1), end.saw.get("state")
    stays = stays_of(reading, person)
    words = _disagreement(state, sold[person], unsure, stays)
    if words is None and state == "turned_away" and _was_in_line(reading, stays, end.began):
        words = _("%(at)s s: %(who)s was turned away, and the journal has them in line.")
    if words is not None:
        findings.against(
            end.ended, words, at=reading.at(end.ended), who=f"#{end.who}", state=state,
            seats=sold[person],
        )  # fmt: skip


def _disagreement(state: Any, seats: int, unsure: bool, stays: list[Stay]) -> Any:
    """What the site's records say against this end, or nothing."""
    if state == BOUGHT and not seats:
        return _("%(at)s s: %(who)s ended as having bought, and has no seat.")
    if state != BOUGHT and seats and not (unsure or state == GAVE_BACK):
        return _("%(at)s s: %(who)s ended as “%(state)s”, and has %(seats)s seats.")
    if state == BOUGHT and not any(stay.admitted for stay in stays):
        return _("%(at)s s: %(who)s has bought, and the journal never let them in.")
    if any(stay.ended is None for stay in stays):
        return _("%(at)s s: %(who)s ended as “%(state)s”, and the journal has no end for them.")
    return None


def _was_in_line(reading: Reading, stays: list[Stay], at: float) -> bool:
    """Not only before: who was out may come again and find no room."""
    earliest = reading.clocks.earliest
    return any(stay.ended is not None and earliest(stay.ended.at) > at for stay in stays)


def _strangers(reading: Reading, findings: Findings) -> None:
    for person, entries in reading.entries_of.items():
        if reading.who and person not in reading.who:
            findings.against(
                entries[0][1].at, _("The journal knows %(who)s, who is nobody of this rehearsal."),
                who=reading.name(person),
            )  # fmt: skip


def left_behind(reading: Reading) -> Verdict:
    findings = Findings(checked=len(reading.evidence.left_behind))
    for kind, count in sorted(reading.evidence.left_behind.items()):
        if count:
            findings.against(
                reading.ended, _("After the clean-up %(count)s of %(kind)s are left."),
                count=count, kind=kind,
            )  # fmt: skip
    return findings.verdict("left_behind", _("Nothing left behind after the clean-up"))


def admitted_only(reading: Reading, findings: Findings) -> None:
    """A reservation is made inside; who was never let in, and before the queue closed, skipped."""
    closes = [deed.began for deed in reading.of("move") if deed.saw.get("move") == "close"]
    claims, clocks = Claims(reading), reading.clocks
    for code, one in claims.reservations.items():
        stays = stays_of(reading, int(one["person"]))
        let_in = [stay.admitted.at for stay in stays if stay.admitted]
        made = clocks.earliest(seconds(one["created_at"]))
        findings.checked += 1
        if made >= min(closes, default=float("inf")):
            continue
        if not any(clocks.earliest(at) <= made + 2 * clocks.tolerance for at in let_in):
            findings.against(
                made, _("%(at)s s: %(who)s holds seats (%(code)s) without having been let in."),
                at=reading.at(made), who=reading.name(int(one["person"])), code=code,
            )  # fmt: skip
