"""A correct site in memory, with a journal."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from ticketing.rehearsal.simulator.history import LANE_NUMBERS, JournalEntry

PRICE = 110_000
KNOBS = {
    "max_inside": 12, "admit_per_second": 4, "capacity": 5_000, "claim_seconds": 8,
    "pass_seconds": 20, "pass_max_seconds": 60, "absence_seconds": 10,
}  # fmt: skip
LIMIT, HOLD_SECONDS = 4, 10.0
# Of two lanes: one person in three is in the second.
WEIGHTS = {0: 1, 1: 2}


def lane_of(person: int) -> int:
    return int(person % 3 == 0)


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


@dataclass
class Order:
    code: str
    person: int
    seats: list[int]
    made: float
    deadline: float
    state: str = "held"


@dataclass
class Site:
    clock: Callable[[], float]
    seats: int
    lobby: dict[int, float] = field(default_factory=dict)
    line: dict[int, int] = field(default_factory=dict)
    ready: dict[int, tuple[int, float]] = field(default_factory=dict)
    inside: dict[int, tuple[int, float]] = field(default_factory=dict)
    seen: dict[int, float] = field(default_factory=dict)
    journal: list[JournalEntry] = field(default_factory=list)
    orders: dict[str, Order] = field(default_factory=dict)
    payments: dict[str, dict[str, Any]] = field(default_factory=dict)
    draw: dict[str, Any] | None = None
    state: str = "lobby"
    counters: dict[int, int] = field(default_factory=lambda: dict.fromkeys(WEIGHTS, 0))
    tags: dict[int, float] = field(default_factory=lambda: dict.fromkeys(WEIGHTS, 0.0))
    lane_clock: float = 0.0
    tokens: float = 0.0
    refilled: float = 0.0
    snapshot: tuple[float, dict[int, int]] = (0.0, {})
    told_at: dict[int, float] = field(default_factory=dict)  # nobody is told an older position
    knobs: dict[str, Any] = field(default_factory=lambda: dict(KNOBS))

    def note(self, kind: str, person: int, number: int, at: float | None = None) -> None:
        self.journal.append(JournalEntry(self.clock() if at is None else at, person, kind, number))

    def join(self, person: int) -> dict[str, Any]:
        self.seen[person] = self.clock()
        here = any(person in place for place in (self.lobby, self.line, self.ready, self.inside))
        if not here and self.state == "lobby":
            self.lobby[person] = self.clock()
            self.note("lobby", person, lane_of(person) * LANE_NUMBERS)
        elif not here:
            lane = lane_of(person)
            self.counters[lane] += 1
            self.line[person] = lane * LANE_NUMBERS + self.counters[lane]
            self.note("join", person, self.line[person])
        return self.standing(person)

    def number(self, person: int) -> int | None:
        places = (self.ready.get(person), self.inside.get(person))
        return self.line.get(person) or next((place[0] for place in places if place), None)

    def standing(self, person: int, of_snapshot: bool = False) -> dict[str, Any]:
        at, line = self.clock(), self.line
        fresh = at - self.snapshot[0] < 3 and self.told_at.get(person, 0.0) <= self.snapshot[0]
        if of_snapshot and fresh and person in self.line and person in self.snapshot[1]:
            at, line = self.snapshot
        self.told_at[person] = at
        number = line.get(person)
        standing: dict[str, Any] = {
            "server_time": iso(at),
            "total": len(line),
            "number": self.number(person),
        }
        if number:
            lane = lane_of(person) * LANE_NUMBERS
            ahead = sum(lane <= other < number for other in line.values())
            return standing | {"state": "WAITING", "position": ahead + 1, "ahead": ahead}
        state = (
            "ADMITTED" if person in self.inside else "READY" if person in self.ready else "EXPIRED"
        )
        return standing | {"state": "LOBBY" if person in self.lobby else state, "position": None}

    def poll(self, person: int, of_snapshot: bool) -> dict[str, Any]:
        self.seen[person] = self.clock()
        return self.standing(person, of_snapshot)

    def open(self, secret: str, salt: str) -> None:
        self.state = "open"
        entries = {sha256(f"{salt}:{one}".encode()).hexdigest()[:16]: one for one in self.lobby}
        lobby = sha256("\n".join(sorted(entries)).encode()).hexdigest()
        seed = sha256(f"{secret}:{lobby}:7 11 19".encode()).hexdigest()
        drawn = sorted(entries, key=lambda entry: sha256(f"{seed}:{entry}".encode()).digest())
        self.draw = {
            "secret": secret, "secret_sha256": sha256(secret.encode()).hexdigest(),
            "lobby_sha256": lobby, "public_value_source": "the lottery of Saturday",
            "public_value": "7 11 19", "seed": seed, "shuffled": True,
            "first_number": 1, "people": [entries[entry] for entry in drawn],
            "entries": drawn,
        }  # fmt: skip
        for number, entry in enumerate(drawn, start=1):
            person = entries[entry]
            self.line[person] = lane_of(person) * LANE_NUMBERS + number
            self.note("join", person, self.line[person])
        self.counters = dict.fromkeys(WEIGHTS, len(drawn))
        self.lobby, self.refilled = {}, self.clock()

    def tick(self, now: float) -> list[int]:
        for place in (self.inside, self.ready):
            for person in [one for one, (_, until) in place.items() if until <= now]:
                self.out(person, "expired", now)
        for person in [
            one for one in self.line if self.seen[one] < now - self.knobs["absence_seconds"]
        ]:
            self.out(person, "expired", now)
        rate = self.knobs["admit_per_second"]
        self.tokens += max(now - self.refilled, 0) * rate
        room = self.knobs["max_inside"] - len(self.ready) - len(self.inside)
        called = self.next_people(max(min(int(self.tokens), room), 0))
        for person in called:
            number = self.line.pop(person)
            self.ready[person] = (number, now + self.knobs["claim_seconds"])
            self.note("ready", person, number, now)
        self.tokens = min(self.tokens - len(called), max(rate, 1)) if self.state == "open" else 0.0
        self.refilled = max(now, self.refilled)
        self.snapshot = (now, dict(self.line))
        self.expire()
        return called

    def next_people(self, count: int) -> list[int]:
        """By the weights of the lanes in which people wait."""
        lines: dict[int, list[int]] = {lane: [] for lane in WEIGHTS}
        for person in sorted(self.line, key=lambda one: self.line[one]):
            lines[lane_of(person)].append(person)
        called: list[int] = []
        while self.state == "open" and len(called) < count and any(lines.values()):
            starts = {
                lane: max(self.tags[lane], self.lane_clock) for lane in WEIGHTS if lines[lane]
            }
            lane = min(starts, key=lambda one: starts[one])
            self.lane_clock = starts[lane]
            self.tags[lane] = starts[lane] + 1 / WEIGHTS[lane]
            called.append(lines[lane].pop(0))
        return called

    def expire(self) -> None:
        for order in self.orders.values():
            if order.state == "held" and order.deadline <= self.clock():
                order.state = "expired"

    def out(self, person: int, how: str, at: float | None = None) -> bool:
        number = self.number(person) or 0
        here = [
            place for place in (self.lobby, self.line, self.ready, self.inside) if person in place
        ]
        for place in here:
            del place[person]  # type: ignore[attr-defined]
            self.note(how, person, number, at)
        for order in self.orders.values() if here else ():
            if order.person == person and order.state == "held":
                order.state = "released"
        return bool(here)

    def claim(self, person: int) -> dict[str, Any] | None:
        if person in self.ready and self.ready[person][1] > self.clock():
            number, _until = self.ready.pop(person)
            self.inside[person] = (number, self.clock() + self.knobs["pass_seconds"])
            self.note("admit", person, number)
        return self.standing(person) if person in self.inside else None

    @property
    def live(self) -> list[Order]:
        return [one for one in self.orders.values() if one.state in {"held", "paying", "confirmed"}]

    def shows_free(self, seats: list[int]) -> bool:
        return not {seat for one in self.live for seat in one.seats} & set(seats)

    def hold(self, person: int, seats: list[int], code: str) -> Order | None:
        self.expire()
        mine = sum(len(one.seats) for one in self.live if one.person == person)
        if person not in self.inside or not self.shows_free(seats) or mine + len(seats) > LIMIT:
            return None
        now = self.clock()
        self.orders[code] = Order(code, person, seats, now, now + HOLD_SECONDS)
        return self.orders[code]

    def pay(self, code: str, number: str) -> bool:
        order = self.orders[code]
        if order.state != "held" or order.deadline <= self.clock():
            return False
        order.state = "paying"
        amount = PRICE * len(order.seats)
        self.payments[number] = {
            "number": number, "person": order.person, "reservation": code, "state": "prepared",
            "amount": amount, "refunded": 0, "charged": 0,
        }  # fmt: skip
        return True

    def settle(self, number: str, works: bool) -> str:
        payment = self.payments[number]
        order = self.orders[payment["reservation"]]
        if payment["state"] == "prepared":
            payment["state"] = "succeeded" if works else "failed"
            payment["charged"] = payment["amount"] if works else 0
            order.state = "confirmed" if works else "held"
            if works:
                self.out(order.person, "completed")
        return str(payment["state"].upper())

    def cancel(self, number: str) -> str:
        payment = self.payments[number]
        payment["state"], payment["refunded"] = "partially_refunded", payment["amount"] * 9 // 10
        self.orders[payment["reservation"]].state = "refunded"
        return "PARTIALLY_REFUNDED"

    def books(self) -> dict[str, Any]:
        """Sums of the payments by state, and who has which seat now."""
        by_state: dict[str, dict[str, Any]] = {}
        for payment in self.payments.values():
            names = ("amount", "refunded", "charged", "returned")
            row = by_state.setdefault(payment["state"], dict.fromkeys(("count", *names), 0))
            returned = payment["refunded"] if payment["charged"] else 0
            for name, value in (payment | {"count": 1, "returned": returned}).items():
                if name in row:
                    row[name] += value
        owners = {seat: order.code for order in self.live for seat in order.seats}
        return {
            "payments": [{"state": state} | row for state, row in by_state.items()],
            "seats": [[seat, owners.get(seat)] for seat in range(1, self.seats + 1)],
        }

    def facts(self) -> dict[str, Any]:
        bought = [one for one in self.orders.values() if one.state == "confirmed"]
        sold = [[seat, one.person] for one in bought for seat in one.seats]
        return {
            "settled": True,
            "reservations": [
                {"code": one.code, "person": one.person, "state": one.state, "seats": one.seats,
                 "created_at": iso(one.made), "deadline": iso(one.deadline)}
                for one in self.orders.values()
            ],
            "payments": [
                {name: value for name, value in payment.items() if name != "charged"}
                for payment in self.payments.values()
            ],
            "charges": [
                {"payment": one["number"], "amount": one["charged"], "refunded": one["refunded"]}
                for one in self.payments.values()
                if one["charged"]
            ],
            "tickets": [
                {"code": f"T{seat}", "person": person, "seat": seat, "state": "valid"}
                for seat, person in sold
            ],
            "sold": sold,
            "seats": {
                "available": self.seats - len(sold), "held": 0, "sold": len(sold), "held_back": 0,
            },
            "draw": self.draw,
            "lanes": [{"lane": lane, "weight": weight} for lane, weight in WEIGHTS.items()],
        }  # fmt: skip
