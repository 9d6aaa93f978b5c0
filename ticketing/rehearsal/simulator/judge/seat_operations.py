"""Each seat as a register that has its owner as value, and what was done to it and read of it.

The value is `FREE` or the code of a reservation: a hold sets it from `FREE` to the code, the end of
the reservation sets it back, and an answer that says whose the seat is has read it. What has no
answer may have happened at any time since it began, or never. A hold that nobody heard of in any
way is left out: it cannot explain anything.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ticketing.rehearsal.simulator.history import RUNNER, Record
from ticketing.rehearsal.simulator.judge.clocks import FOREVER, seconds
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.ownership import (
    LIVE_STATES,
    OPEN_PAYMENT,
    SOLD,
    Hold,
    SeatOwnership,
)

FREE = "free"
REFUNDED = frozenset({"REFUNDED", "PARTIALLY_REFUNDED"})


@dataclass(frozen=True, slots=True)
class SeatOperation:
    """It found `before` and left `after`, once between `began` and `ended`."""

    seat: int
    user: int
    before: str
    after: str
    began: float
    ended: float  # FOREVER: it may have happened at any time since, or never

    @property
    def is_read(self) -> bool:
        return self.before == self.after


def seat_operations(evidence: IndexedEvidence) -> dict[int, list[SeatOperation]]:
    """The operations on each seat that anybody held."""
    history, by_seat = _SeatHistory(evidence), defaultdict[int, list[SeatOperation]](list)
    for operation in (*history.reads_of_buyers(), *history.holds_and_ends()):
        by_seat[operation.seat].append(operation)
    for operation in history.reads_of_runner():
        if operation.seat in by_seat or operation.before != FREE:
            by_seat[operation.seat].append(operation)
    for operation in history.final_reads(by_seat):
        by_seat[operation.seat].append(operation)
    return by_seat


class _SeatHistory:
    def __init__(self, evidence: IndexedEvidence) -> None:
        self.evidence, self.ownership = evidence, SeatOwnership(evidence)

    # -- changes ----------------------------------------------------------------------------------

    def holds_and_ends(self) -> Iterator[SeatOperation]:
        for hold in (*self.ownership.holds.values(), *self._unanswered_holds()):
            user = self.evidence.user_of.get(hold.person, RUNNER)
            began, ended = self._end_of(hold)
            for seat in hold.seats:
                yield SeatOperation(seat, user, FREE, hold.code, hold.sent, hold.start)
                if began < FOREVER:
                    yield SeatOperation(seat, user, hold.code, FREE, began, ended)

    def _unanswered_holds(self) -> Iterator[Hold]:
        """Holds whose answer was lost, if somebody saw their effect; told by the final rows."""
        earliest = self.evidence.clocks.earliest
        for code, one in self.ownership.reservations.items():
            if code not in self.ownership.holds and code in self._seen_by_runner:
                sent, deadline = (earliest(seconds(one[it])) for it in ("created_at", "deadline"))
                seats = tuple(one["seats"])
                yield Hold(code, int(one["person"]), seats, sent, FOREVER, deadline)

    def _end_of(self, hold: Hold) -> tuple[float, float]:
        """When the first thing that could have ended it began, and when it was told as ended.

        What was paid for cannot have ended before: only its cancellation ends it.
        """
        ownership, code = self.ownership, hold.code
        given_back = self._given_back.get(code, [])
        began = [record.began for record in given_back]
        if ownership.was_bought(code):
            began.append(ownership.cancelled_at(code))
        else:
            began += [hold.deadline, ownership.released_or_left(hold)]
            began += [record.began for record in ownership.pays[code]]
        ended = [record.ended for record in (*given_back, *self._refunded.get(code, ()))]
        return min(began), min(ended, default=FOREVER)

    @cached_property
    def _given_back(self) -> dict[str, list[Record]]:
        """Answers that say that held seats are given back."""
        found = defaultdict[str, list[Record]](list)
        for record in self.evidence.of("release"):
            if record.done and record.data.get("reservation"):
                found[record.data["reservation"]].append(record)
        return found

    @cached_property
    def _refunded(self) -> dict[str, list[Record]]:
        """Answers that say that a purchase is cancelled: its seats go with the money."""
        found = defaultdict[str, list[Record]](list)
        for record in self.evidence.of("cancel", "payment_status"):
            is_refunded = record.done and record.data.get("state") in REFUNDED
            payment = record.data.get("payment", "")
            if is_refunded and payment in self.ownership.cancelled:
                found[self._reservation_of.get(payment, "")].append(record)
        return found

    # -- reads ------------------------------------------------------------------------------------

    def reads_of_buyers(self) -> Iterator[SeatOperation]:
        """A payment that is under way or paid says whose the seats are."""
        for record in self.evidence.of("confirm", "payment_status"):
            state = str(record.data.get("state", "")).upper()
            if record.done and (state == SOLD or state in OPEN_PAYMENT):
                code = self._reservation_of.get(record.data.get("payment", ""), "")
                for seat in self._seats_of.get(code, ()):
                    yield _read(seat, record, code)

    def reads_of_runner(self) -> Iterator[SeatOperation]:
        for record in self.evidence.of("books"):
            for seat, code in record.data.get("seats", ()):
                yield _read(int(seat), record, code or FREE)

    def final_reads(self, seats: dict[int, list[SeatOperation]]) -> Iterator[SeatOperation]:
        """The final rows: a seat with two owners is read twice, which no order explains."""
        for record in self._final_record():
            for seat in sorted(seats.keys() | self._final_owners.keys()):
                for code in self._final_owners.get(seat, [FREE]):
                    yield _read(seat, record, code)

    def _final_record(self) -> list[Record]:
        """The call that read the final rows, or the end of the rehearsal."""
        if not self.ownership.reservations:
            return []
        at = self.evidence.ended
        return [*self.evidence.of("facts")][-1:] or [Record(RUNNER, "facts", at, at)]

    @cached_property
    def _final_owners(self) -> dict[int, list[str]]:
        found = defaultdict[int, list[str]](list)
        for code, one in self.ownership.reservations.items():
            for seat in one["seats"] if one["state"] in LIVE_STATES else ():
                found[seat].append(code)
        return found

    @cached_property
    def _seen_by_runner(self) -> set[str]:
        live = {code for codes in self._final_owners.values() for code in codes}
        return live | {operation.before for operation in self.reads_of_runner()}

    @cached_property
    def _reservation_of(self) -> dict[str, str]:
        payments = self.ownership.payments_of
        return {payment: code for code, theirs in payments.items() for payment in theirs}

    @cached_property
    def _seats_of(self) -> dict[str, tuple[int, ...]]:
        rows = {code: tuple(one["seats"]) for code, one in self.ownership.reservations.items()}
        return rows | {code: hold.seats for code, hold in self.ownership.holds.items()}


def _read(seat: int, record: Record, value: str) -> SeatOperation:
    return SeatOperation(seat, record.user, value, value, record.began, record.ended)
