"""When a seat was surely somebody's, from what they were told: never longer than that.

It is theirs from the answer to the hold until the first thing that could have ended it was under
way: giving it back, leaving, the deadline by the fastest clock, a payment that may have failed.
What is paid for in the end was theirs all along. A call without an answer proves nothing and may
have ended something.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ticketing.rehearsal.simulator.history import Deed
from ticketing.rehearsal.simulator.judge.clocks import FOREVER, moment_in, seconds
from ticketing.rehearsal.simulator.judge.reading import ENDINGS, Reading

SOLD = "SUCCEEDED"
OPEN = frozenset({"PENDING", "PREPARED", "CHARGING"})
# Who goes out gives back what they hold: not in the same moment.
SECONDS_TO_LET_GO = 5.0
LIVE_AT_THE_END = frozenset({"confirmed"})


@dataclass(frozen=True, slots=True)
class Claim:
    """A seat was surely this person's from `start` until `end`, by the recorder's clock."""

    seat: int
    person: int
    code: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Hold:
    """What somebody was told to have, the first time they were told."""

    code: str
    person: int
    seats: tuple[int, ...]
    sent: float  # it can't have been made before
    start: float
    deadline: float


class Claims:
    """All claims of a rehearsal."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.reservations = {one["code"]: one for one in reading.facts.get("reservations", [])}
        self.paid = [deed for deed in reading.of("pay") if not refused(deed)]

    @cached_property
    def holds(self) -> dict[str, Hold]:
        found: dict[str, Hold] = {}
        for deed in sorted(self.reading.of("hold"), key=lambda deed: deed.ended):
            code = deed.saw.get("reservation")
            if deed.done and code and code not in found:
                found[code] = self._hold(code, deed)
        return found

    def _hold(self, code: str, deed: Deed) -> Hold:
        deadline = moment_in(deed.saw, "deadline")
        lapses = FOREVER if deadline is None else self.reading.clocks.earliest(deadline)
        made = self.reservations.get(code, {}).get("created_at")
        sent = min(deed.began, self.reading.clocks.earliest(seconds(made))) if made else deed.began
        person = self.reading.person.get(deed.who, -1)
        return Hold(code, person, tuple(deed.saw.get("seats", ())), sent, deed.ended, lapses)

    @cached_property
    def all(self) -> list[Claim]:
        told = [self._claims(hold) for hold in self.holds.values()]
        untold = [
            self._unanswered(one)
            for code, one in self.reservations.items()
            if one["state"] in LIVE_AT_THE_END and code not in self.holds
        ]
        return [claim for claims in (*told, *untold) for claim in claims if claim.start < claim.end]

    def _claims(self, hold: Hold) -> list[Claim]:
        end = self._end(hold)
        return [Claim(seat, hold.person, hold.code, hold.start, end) for seat in hold.seats]

    def _unanswered(self, one: dict[str, Any]) -> list[Claim]:
        """Nobody heard of this hold, but it was bought: so it was somebody's since it was made."""
        clocks = self.reading.clocks
        start = clocks.steady(seconds(one["created_at"])) + clocks.tolerance
        if clocks.is_turned(start, margin=5):
            return []
        return [
            Claim(seat, int(one["person"]), one["code"], start, self._given_back(one["code"]))
            for seat in one["seats"]
        ]

    def _end(self, hold: Hold) -> float:
        if self.was_bought(hold.code):
            return self._given_back(hold.code)
        end = min(hold.deadline, self._ended_by_hand(hold))
        pays = [deed.began for deed in self._pays[hold.code]]
        if pays and min(pays) < end:
            return max(min(pays), min(self._last_seen_paying(hold.code), self._ended_by_hand(hold)))
        return end

    def was_bought(self, code: str) -> bool:
        if self.reservations.get(code, {}).get("state") in LIVE_AT_THE_END:
            return True
        return any(payment in self.told_sold for payment in self.payments_of[code])

    def _given_back(self, code: str) -> float:
        """A purchase that was cancelled ends when that was asked for."""
        payments = self.payments_of[code]
        asked = [self.cancelled[payment] for payment in payments if payment in self.cancelled]
        return min(asked, default=FOREVER)

    def _ended_by_hand(self, hold: Hold) -> float:
        """Given back, or out of the line, which gives back what one holds."""
        leaving = self._leaving.get(hold.person, ())
        ends = [began for began, ended in leaving if ended >= hold.sent]
        return min(*ends, *self._releases.get(hold.code, ()), FOREVER, FOREVER)

    def _last_seen_paying(self, code: str) -> float:
        return max(
            (self._seen_open.get(payment, 0.0) for payment in self.payments_of[code]), default=0.0
        )

    @cached_property
    def _pays(self) -> dict[str, list[Deed]]:
        return grouped(self.paid, "reservation")

    @cached_property
    def payments_of(self) -> dict[str, set[str]]:
        """By what people were told and by the final rows."""
        found: dict[str, set[str]] = defaultdict(set)
        for deed in self.paid:
            if deed.saw.get("payment") and deed.saw.get("reservation"):
                found[deed.saw["reservation"]].add(deed.saw["payment"])
        for payment in self.reading.facts.get("payments", []):
            found[payment["reservation"]].add(payment["number"])
        return found

    @cached_property
    def told_sold(self) -> dict[str, Deed]:
        """Payments of which somebody was told that they are paid."""
        found: dict[str, Deed] = {}
        for deed in self.reading.of("pay", "window", "confirm", "ask"):
            if deed.done and str(deed.saw.get("state", "")).upper() == SOLD:
                found.setdefault(deed.saw.get("payment", ""), deed)
        return found

    @cached_property
    def cancelled(self) -> dict[str, float]:
        sent = [deed for deed in self.reading.of("cancel") if not refused(deed)]
        return {
            payment: min(deed.began for deed in deeds)
            for payment, deeds in grouped(sent, "payment").items()
        }

    @cached_property
    def _seen_open(self) -> dict[str, float]:
        """The last moment at which a payment was surely under way."""
        found: dict[str, float] = {}
        for deed in self.reading.of("pay", "confirm", "ask"):
            if deed.done and str(deed.saw.get("state", "")).upper() in OPEN:
                payment = deed.saw.get("payment", "")
                found[payment] = max(found.get(payment, 0.0), deed.began)
        return found

    @cached_property
    def _releases(self) -> dict[str, list[float]]:
        sent = grouped(
            (deed for deed in self.reading.of("release") if not refused(deed)), "reservation"
        )
        return {code: [deed.began for deed in deeds] for code, deeds in sent.items()}

    @cached_property
    def _leaving(self) -> dict[int, list[tuple[float, float]]]:
        """When somebody may have gone out, by their own wish or by the journal."""
        found: dict[int, list[tuple[float, float]]] = defaultdict(list)
        clocks = self.reading.clocks
        for deed in self.reading.of("leave"):
            if not refused(deed):
                person = self.reading.person.get(deed.who, -1)
                found[person].append((deed.began, deed.ended + SECONDS_TO_LET_GO))
        for entry in self.reading.journal:
            if entry.kind in ENDINGS:
                until = clocks.steady(entry.at) + clocks.tolerance + SECONDS_TO_LET_GO
                found[entry.person].append((clocks.earliest(entry.at), until))
        return found


def refused(deed: Deed) -> bool:
    """A refusal did nothing; anything else may have."""
    return 400 <= deed.status < 500


def grouped(deeds: Iterable[Deed], name: str) -> dict[str, list[Deed]]:
    found: dict[str, list[Deed]] = defaultdict(list)
    for deed in deeds:
        if deed.saw.get(name):
            found[deed.saw[name]].append(deed)
    return found
