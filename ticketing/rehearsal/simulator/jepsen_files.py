"""Writes a rehearsal's history in the shape that Jepsen's tools read: JSON lines of operations.

A call is two lines: `invoke`, and `ok`, `fail` or, if there was no answer, `info`. A process has
one operation at a time, and none after an `info`. docs/rehearsal.md says how to check the files.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ticketing.rehearsal.simulator.history import RUNNER, Evidence, Record, encode_json
from ticketing.rehearsal.simulator.judge.clocks import FOREVER
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.money import SETTLED
from ticketing.rehearsal.simulator.judge.ownership import SeatOwnership
from ticketing.rehearsal.simulator.judge.seat_operations import (
    FREE,
    SeatOperation,
    seat_operations,
)

NAMES = {  # actions of users and runner, as operations
    "join": "join", "poll": "position", "claim": "claim", "leave": "leave", "map": "map",
    "hold": "hold", "release": "release", "pay": "pay", "window": "window", "confirm": "confirm",
    "payment_status": "payment", "cancel": "cancel", "books": "books", "facts": "facts",
}  # fmt: skip
ASKED = ("asked", "reservation", "payment")  # known before the answer
NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Operation:
    user: int
    f: str
    asked: Any
    answered: Any
    type: str
    began: float
    ended: float


def write_all(folder: Path, evidence: Evidence) -> None:
    indexed = IndexedEvidence(evidence)
    for name, operations in (
        ("calls", calls(indexed)),
        ("seats", seats(indexed)),
        ("holds", holds(indexed)),
        ("charges", charges(indexed)),
    ):
        with (folder / f"jepsen-{name}.jsonl").open("w") as file:
            file.writelines(lines(operations, start=_start(indexed)))


def _start(evidence: IndexedEvidence) -> float:
    """A moment before everything."""
    return min((record.began for record in evidence.records), default=evidence.began) - 1


def lines(operations: Iterable[Operation], *, start: float) -> Iterator[str]:
    """The operations' beginnings and ends in order of time, each with its process."""
    operations = list(operations)
    moments = sorted(
        moment
        for at, operation in enumerate(operations)
        for moment in ((operation.began, 0, at), (max(operation.began, operation.ended), 1, at))
    )
    processes, used = _Processes(operations), dict[int, int]()
    for index, (moment, is_end, at) in enumerate(moments):
        one = operations[at]
        process = used.pop(at) if is_end else used.setdefault(at, processes.take(one.user))
        if is_end and one.type != "info":
            processes.give_back(one.user, process)
        line = {
            "index": index,
            "process": process,
            "type": one.type if is_end else "invoke",
            "f": one.f,
            "value": one.answered if is_end else one.asked,
            "time": round((moment - start) * NANOSECONDS),
        }
        yield encode_json(line) + "\n"


class _Processes:
    """The numbers of processes: a user's own, and others while that is busy or lost."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        users = sorted({operation.user for operation in operations})
        self.more = count(max(users, default=0) + 1)
        self.idle = defaultdict[int, list[int]](list)
        for user in users:
            self.idle[user].append(next(self.more) if user == RUNNER else user)

    def take(self, user: int) -> int:
        return self.idle[user].pop() if self.idle[user] else next(self.more)

    def give_back(self, user: int, process: int) -> None:
        self.idle[user].append(process)


def _type(record: Record) -> str:
    return "ok" if record.done else "info" if record.unknown else "fail"


# -- the files ------------------------------------------------------------------------------------


def calls(evidence: IndexedEvidence) -> Iterator[Operation]:
    """Every call, as it was made and answered."""
    for record in evidence.records:
        if name := NAMES.get(record.action):
            asked = {key: record.data[key] for key in ASKED if key in record.data} or None
            answered: Any = record.data or None
            if record.code:
                answered = record.data | {"error": record.code}
            yield Operation(
                record.user, name, asked, answered, _type(record), record.began, record.ended
            )


def seats(evidence: IndexedEvidence) -> Iterator[Operation]:
    """Each seat as a register of its own, by compare-and-set: `[seat, value]`, free at first."""
    start = _start(evidence)
    for at, (seat, operations) in enumerate(sorted(seat_operations(evidence).items())):
        began, ended = start + at / 1_000_000, start + (at + 0.5) / 1_000_000
        yield Operation(RUNNER, "write", [seat, FREE], [seat, FREE], "ok", began, ended)
        yield from (_register_operation(operation) for operation in operations)


def _register_operation(one: SeatOperation) -> Operation:
    change = [one.before, one.after]
    f, asked, answered = ("read", None, one.before) if one.is_read else ("cas", change, change)
    kind, ended = ("info", one.began) if one.ended == FOREVER else ("ok", one.ended)
    pair = ([one.seat, asked], [one.seat, answered])
    return Operation(one.user, f, *pair, kind, one.began, ended)


def holds(evidence: IndexedEvidence) -> Iterator[Operation]:
    """Each hold as a transaction that appends its code to the lists of its seats, all or none."""
    ownership, owners = SeatOwnership(evidence), defaultdict[int, list[str]](list)
    for code, one in ownership.reservations.items():
        for seat in one["seats"]:
            owners[seat].append(code)
        if code not in ownership.holds:
            user, at = evidence.user_of.get(int(one["person"]), RUNNER), evidence.began
            appends = [["append", seat, code] for seat in one["seats"]]
            yield Operation(user, "txn", appends, appends, "info", at, at)
    for hold in ownership.holds.values():
        user = evidence.user_of.get(hold.person, RUNNER)
        appends = [["append", seat, hold.code] for seat in hold.seats]
        yield Operation(user, "txn", appends, appends, "ok", hold.sent, hold.start)
    if owners:
        asked = [["r", seat, None] for seat in sorted(owners)]
        answered = [["r", seat, owners[seat]] for seat in sorted(owners)]
        at = evidence.ended
        yield Operation(RUNNER, "txn", asked, answered, "ok", at, at)


def charges(evidence: IndexedEvidence) -> Iterator[Operation]:
    """What was ever charged as a counter: a payment adds its amount, and the books are read."""
    ownership = SeatOwnership(evidence)
    for payment in evidence.facts.get("payments", []):
        number, amount = payment["number"], int(payment["amount"])
        pays = ownership.pays.get(payment["reservation"], ())
        began = min((record.began for record in pays), default=evidence.began)
        user = evidence.user_of.get(int(payment["person"]), RUNNER)
        sale = ownership.confirmed_sales.get(number)
        kind, ended = ("ok", sale.ended) if sale else ("info", began)
        yield Operation(user, "add", amount, amount, kind, began, ended)
    for read in evidence.of("books"):
        states = SETTLED | {"refunding"}
        rows = [row for row in read.data.get("payments", ()) if row["state"] in states]
        if read.done:
            total = sum(int(row["amount"]) for row in rows)
            yield Operation(RUNNER, "read", None, total, "ok", read.began, read.ended)
