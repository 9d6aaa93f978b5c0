"""The spans of time in which a seat surely belonged to a person, by the responses they got.

A span begins with the response to the hold, and ends when the first thing that could have ended it
began: a release, leaving, the deadline by the fastest clock, a payment that may have failed. A seat
that is paid in the end was theirs all along. A call without a response proves nothing, and may have
ended a span.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.judge.clocks import FOREVER, moment_in, seconds
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.parties import ENDINGS

SOLD = "SUCCEEDED"
OPEN_PAYMENT = frozenset({"PENDING", "PREPARED", "CHARGING"})
# Leaving the queue releases held seats a little later.
RELEASE_SECONDS = 5.0
SOLD_STATES = frozenset({"confirmed"})
LIVE_STATES = frozenset({"held", "paying", "confirmed"})


@dataclass(frozen=True, slots=True)
class OwnedSpan:
    """A seat surely was this person's from `start` until `end`, by the recorder's clock."""

    seat: int
    person: int
    code: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold by the first response that confirmed it."""

    code: str
    person: int
    seats: tuple[int, ...]
    sent: float  # it cannot have been made earlier
    start: float
    deadline: float


class SeatOwnership:
    """All spans of a rehearsal."""

    def __init__(self, evidence: IndexedEvidence) -> None:
        self.evidence = evidence
        self.reservations = {one["code"]: one for one in evidence.facts.get("reservations", [])}
        self.paid = [record for record in evidence.of("pay") if not refused(record)]

    @cached_property
    def holds(self) -> dict[str, Hold]:
        found: dict[str, Hold] = {}
        for record in sorted(self.evidence.of("hold"), key=lambda record: record.ended):
            code = record.data.get("reservation")
            if record.done and code and code not in found:
                found[code] = self._hold(code, record)
        return found

    def _hold(self, code: str, record: Record) -> Hold:
        deadline = moment_in(record.data, "deadline")
        lapses = FOREVER if deadline is None else self.evidence.clocks.earliest(deadline)
        made = self.reservations.get(code, {}).get("created_at")
        sent = (
            min(record.began, self.evidence.clocks.earliest(seconds(made)))
            if made
            else record.began
        )
        person = self.evidence.person_of.get(record.user, -1)
        return Hold(code, person, tuple(record.data.get("seats", ())), sent, record.ended, lapses)

    @cached_property
    def all(self) -> list[OwnedSpan]:
        answered = [self._spans(hold) for hold in self.holds.values()]
        unanswered = [
            self._spans_without_response(one)
            for code, one in self.reservations.items()
            if one["state"] in SOLD_STATES and code not in self.holds
        ]
        return [
            span for spans in (*answered, *unanswered) for span in spans if span.start < span.end
        ]

    def _spans(self, hold: Hold) -> list[OwnedSpan]:
        end = self._end(hold)
        return [OwnedSpan(seat, hold.person, hold.code, hold.start, end) for seat in hold.seats]

    def _spans_without_response(self, one: dict[str, Any]) -> list[OwnedSpan]:
        """The spans of a bought hold without a response: it was owned since it was made."""
        clocks = self.evidence.clocks
        start = clocks.recorder_time(seconds(one["created_at"])) + clocks.tolerance
        if clocks.is_shifted(start, margin=5):
            return []
        return [
            OwnedSpan(seat, int(one["person"]), one["code"], start, self.cancelled_at(one["code"]))
            for seat in one["seats"]
        ]

    def _end(self, hold: Hold) -> float:
        if self.was_bought(hold.code):
            return self.cancelled_at(hold.code)
        end = min(hold.deadline, self.released_or_left(hold))
        pays = [record.began for record in self.pays[hold.code]]
        if pays and min(pays) < end:
            return max(
                min(pays), min(self._last_seen_paying(hold.code), self.released_or_left(hold))
            )
        return end

    def was_bought(self, code: str) -> bool:
        if self.reservations.get(code, {}).get("state") in SOLD_STATES:
            return True
        return any(payment in self.confirmed_sales for payment in self.payments_of[code])

    def cancelled_at(self, code: str) -> float:
        """When the cancellation of a purchase was requested."""
        payments = self.payments_of[code]
        asked = [self.cancelled[payment] for payment in payments if payment in self.cancelled]
        return min(asked, default=FOREVER)

    def released_or_left(self, hold: Hold) -> float:
        """When the hold was released, or its owner left the queue, which releases it too."""
        leaving = self._leaving.get(hold.person, ())
        ends = [began for began, ended in leaving if ended >= hold.sent]
        return min(*ends, *self._releases.get(hold.code, ()), FOREVER, FOREVER)

    def _last_seen_paying(self, code: str) -> float:
        return max(
            (self._seen_open.get(payment, 0.0) for payment in self.payments_of[code]), default=0.0
        )

    @cached_property
    def pays(self) -> dict[str, list[Record]]:
        return grouped(self.paid, "reservation")

    @cached_property
    def payments_of(self) -> dict[str, set[str]]:
        """Payments of each reservation, by responses and by the final rows."""
        found: dict[str, set[str]] = defaultdict(set)
        for record in self.paid:
            if record.data.get("payment") and record.data.get("reservation"):
                found[record.data["reservation"]].add(record.data["payment"])
        for payment in self.evidence.facts.get("payments", []):
            found[payment["reservation"]].add(payment["number"])
        return found

    @cached_property
    def confirmed_sales(self) -> dict[str, Record]:
        """The first response for each payment that says it is paid."""
        found: dict[str, Record] = {}
        for record in self.evidence.of("pay", "window", "confirm", "payment_status"):
            if record.done and str(record.data.get("state", "")).upper() == SOLD:
                found.setdefault(record.data.get("payment", ""), record)
        return found

    @cached_property
    def cancelled(self) -> dict[str, float]:
        sent = [record for record in self.evidence.of("cancel") if not refused(record)]
        return {
            payment: min(record.began for record in records)
            for payment, records in grouped(sent, "payment").items()
        }

    @cached_property
    def _seen_open(self) -> dict[str, float]:
        """When each payment was last seen under way."""
        found: dict[str, float] = {}
        for record in self.evidence.of("pay", "confirm", "payment_status"):
            if record.done and str(record.data.get("state", "")).upper() in OPEN_PAYMENT:
                payment = record.data.get("payment", "")
                found[payment] = max(found.get(payment, 0.0), record.began)
        return found

    @cached_property
    def _releases(self) -> dict[str, list[float]]:
        sent = grouped(
            (record for record in self.evidence.of("release") if not refused(record)), "reservation"
        )
        return {code: [record.began for record in records] for code, records in sent.items()}

    @cached_property
    def _leaving(self) -> dict[int, list[tuple[float, float]]]:
        """When people may have left the queue, by their calls and by the journal."""
        found: dict[int, list[tuple[float, float]]] = defaultdict(list)
        clocks = self.evidence.clocks
        for record in self.evidence.of("leave"):
            if not refused(record):
                person = self.evidence.person_of.get(record.user, -1)
                found[person].append((record.began, record.ended + RELEASE_SECONDS))
        for entry in self.evidence.journal:
            if entry.kind in ENDINGS:
                until = clocks.recorder_time(entry.at) + clocks.tolerance + RELEASE_SECONDS
                found[entry.person].append((clocks.earliest(entry.at), until))
        return found


def refused(record: Record) -> bool:
    """Whether a call surely had no effect."""
    return 400 <= record.status < 500


def grouped(records: Iterable[Record], name: str) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.data.get(name):
            found[record.data[name]].append(record)
    return found
