"""A small correct sale in memory, for the evidence of a rehearsal without violations.

Processes are generators that yield the seconds they wait; the site acts between request and
response. Some responses are lost, a web process is killed, and a clock is shifted.
"""

import heapq
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any

from tests.ticketing.rehearsal.simulator.judge.in_memory_site import (
    HOLD_SECONDS,
    KNOBS,
    LIMIT,
    Order,
    Site,
    iso,
)
from ticketing.rehearsal.simulator.history import RUNNER, Evidence, Record

START = 1_900_000_000.0
Steps = Generator[float, None, Any]


@dataclass
class Sale:
    """Users, runner and time."""

    seed: int = 1
    fans: int = 60
    seats: int = 120
    lost: float = 0.03
    faults: bool = True
    clock_fault: bool = True
    offset: float = 0.4
    seconds: float = 60.0

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)
        self.now, self.ahead = START, 0.0
        self.broken = (0.0, 0.0)
        self.records: list[Record] = []
        self.site = Site(lambda: self.now + self.offset, self.seats)
        self.codes = count(1)
        self.connected: dict[int, int] = {}
        self._waiting: list[tuple[float, int, Steps]] = []
        self._turn = count()

    def person(self, who: int) -> int:
        return 5_000 + who

    def start(self, steps: Steps, at: float) -> None:
        heapq.heappush(self._waiting, (at, next(self._turn), steps))

    def run(self) -> Evidence:
        self.start(self.run_sale(), START)
        self.start(self.ticking(), START + 0.3)
        self.start(self.sampling(), START + 0.5)
        if self.faults:
            self.start(self.breaking(), START + 20)
        for who in range(self.fans):
            early = who % 2 == 0
            self.start(
                self.live(who),
                START + (self.rng.uniform(1, 4) if early else self.rng.uniform(6, 30)),
            )
        while self._waiting:
            self.now, _turn, steps = heapq.heappop(self._waiting)
            wait = next(steps, None)
            if wait is not None:
                self.start(steps, self.now + wait)
        return self.evidence()

    def evidence(self) -> Evidence:
        setting = {
            "code": "abcdefgh", "event": 8, "source": 7, "title": {"ko": "공연", "en": "A show"},
            "fans": self.fans, "minutes": 1, "profile": "rush", "faults": "all", "seed": self.seed,
            "limit_per_person": LIMIT, "hold_seconds": HOLD_SECONDS, "seats": self.seats,
            "payments": True, "knobs": dict(KNOBS), "began": START, "embedded": True,
            "version": "0.1.0",
            "secret_sha256": sha256(b"secret").hexdigest(), "public_value": "7 11 19",
            "server_time": iso(START + self.offset),
            "people": {str(who): self.person(who) for who in range(self.fans)},
            "machine": {"cpus": 2, "memory_mb": 4096, "python": "3.11", "system": "Linux"},
        }  # fmt: skip
        left = {"reservations.Reservation": 0, "payments.Payment": 0, "redis": 0}
        records = sorted(self.records, key=lambda record: record.ended)
        return Evidence(setting, records, list(self.site.journal), self.site.facts(), left)

    # -- the runner ------------------------------------------------------------------------------

    def runner_record(self, action: str, data: dict[str, Any], began: float | None = None) -> None:
        self.records.append(
            Record(RUNNER, action, self.now if began is None else began, self.now + 0.01, data=data)
        )

    def run_sale(self) -> Steps:
        self.runner_record("begin", {})
        self.runner_record("move", {"move": "lobby", "state": "lobby"})
        yield 5
        self.site.open("secret", "salt")
        self.runner_record("move", {"move": "open", "state": "open"})
        yield 10
        self.site.knobs["admit_per_second"] = 6
        self.runner_record("knobs", {"admit_per_second": 6})
        yield 12
        self.site.state = "paused"
        self.runner_record("move", {"move": "pause", "state": "paused"})
        yield 8
        self.site.state, self.site.refilled = "open", self.now + self.offset
        self.runner_record("move", {"move": "resume", "state": "open"})
        yield self.seconds
        for person in [*self.site.line, *self.site.ready, *self.site.inside, *self.site.lobby]:
            self.site.out(person, "closed")
        self.site.state = "closed"
        self.runner_record("move", {"move": "close", "state": "closed"})
        yield 30
        self.site.expire()
        self.runner_record("facts", {"settled": True})
        self.runner_record("finish", {})

    def ticking(self) -> Steps:
        while self.now < START + 100:
            if self.site.state in {"open", "paused"} and self.rng.random() > 0.05:
                now = self.now + self.offset + self.ahead
                called = self.site.tick(now)
                for person, tabs in list(self.connected.items()):
                    if tabs and (person in called or self.rng.random() < 0.3):
                        self.site.seen[person] = self.now + self.offset
                        self.tell(person)
            yield 1.0

    def tell(self, person: int) -> None:
        at = self.now + 0.02
        self.records.append(Record(person - 5_000, "push", at, at, data=self.site.standing(person)))

    def sampling(self) -> Steps:
        while self.now < START + 100:
            site = self.site
            left = 0 if site.state == "closed" else 1  # what is not sold goes off sale at the end
            self.records.append(Record(RUNNER, "sample", self.now - 0.01, self.now + 0.01, data={
                "at": iso(self.now + self.offset), "state": site.state, "lobby": len(site.lobby),
                "waiting": len(site.line), "ready": len(site.ready), "inside": len(site.inside),
                "max_inside": site.knobs["max_inside"],
                "admit_per_second": site.knobs["admit_per_second"],
                "seats": {
                    "free": left, "held": left, "paying": 0, "sold": len(site.facts()["sold"])
                },
                "tick_age_seconds": self.tick_age(),
                "database_ms": 2, "redis_ms": 1, "breaker": "closed",
                "oldest_charge_seconds": 0.4, "oldest_leak_seconds": 0.0,
            }))  # fmt: skip
            if int(self.now - START) % 4 == 0:
                self.records.append(
                    Record(RUNNER, "books", self.now - 0.01, self.now + 0.01, data=site.books())
                )
            yield 1.0

    def tick_age(self) -> float:
        ticked, _line = self.site.snapshot
        return max(self.now + self.offset - ticked, 0.0) if ticked else 0.0

    def breaking(self) -> Steps:
        began = self.now
        self.broken = (began, began + 3)
        yield 3
        self.runner_record(
            "fault", {"fault": "web", "description": "a web process is killed"}, began
        )
        if not self.clock_fault:
            return
        yield 4
        began, self.ahead = self.now, 2.0
        yield 4
        self.ahead = 0.0
        description = "clocks go 2 s ahead, and back"
        self.runner_record(
            "fault", {"fault": "clock", "description": description, "seconds": 2.0}, began
        )

    # -- people -----------------------------------------------------------------------------------

    def call(
        self,
        who: int,
        action: str,
        act: Callable[[], Any],
        answer: Callable[[Any], Any],
        **data: Any,
    ) -> Steps:
        """A request, what the site does, and the response, unless either is lost."""
        began = self.now
        yield self.rng.uniform(0.01, 0.2)
        lost = self.lost if not self.broken[0] <= self.now <= self.broken[1] else 0.5
        chance = self.rng.random()
        result = act() if chance > lost / 2 else None
        yield self.rng.uniform(0.01, 0.2)
        if chance < lost:
            status = 502 if self.broken[0] <= began <= self.broken[1] else 0
            self.records.append(Record(who, action, began, self.now, status=status, data=data))
            return None
        ok = result is not None and result is not False
        response = data | (answer(result) if ok else {})
        code = "" if ok else "refused"
        self.records.append(
            Record(who, action, began, self.now, 200 if ok else 409, code, response)
        )
        return result

    def note(self, who: int, action: str, status: int = 200, **data: Any) -> None:
        self.records.append(Record(who, action, self.now, self.now, status=status, data=data))

    def live(self, who: int) -> Steps:
        persona = self.rng.choice(
            [
                "patient",
                "tunnel",
                "sleeper",
                "leaver",
                "ditherer",
                "declined",
                "quitter",
                "gives back",
                "bot",
            ]
        )
        person, site = self.person(who), self.site
        self.note(who, "arrive", person=person, persona=persona)
        end = yield from self.use_site(who, person, persona, site)
        self.connected.pop(person, None)
        self.note(who, "end", state=end, why=persona)

    def use_site(self, who: int, person: int, persona: str, site: Site) -> Iterator[Any]:
        yield from self.call(who, "join", lambda: site.join(person), dict)
        yield from self.connect(who, person)
        if persona == "bot":
            self.note(who, "forge", status=403, what="a token of my own")
            self.note(who, "skip", status=403, what="seats without a turn")
        while True:
            yield self.rng.uniform(0.5, 2.5)
            match self.where(person):
                case "ready":
                    yield from self.call(who, "claim", lambda: site.claim(person), dict)
                case "inside":
                    return (yield from self.shop(who, person, persona))
                case "out":
                    return "closed" if site.state == "closed" else "expired"
            if (yield from self.wait(who, person, persona)):
                return "left"

    def wait(self, who: int, person: int, persona: str) -> Iterator[Any]:
        """Poll, and go away for a while or for good; true if for good."""
        site, moody = self.site, self.rng.random() < 0.2
        if persona == "leaver" and moody:
            yield from self.call(who, "leave", lambda: site.out(person, "left"), lambda _: {})
            if self.where(person) == "out":
                return True
        if persona in {"tunnel", "sleeper"} and moody:
            yield from self.tunnel(who, person, 14 if persona == "sleeper" else 3)
        of_snapshot = self.rng.random() < 0.6
        yield from self.call(who, "poll", lambda: site.poll(person, of_snapshot), dict)
        return False

    def where(self, person: int) -> str:
        site = self.site
        if person in site.line or person in site.lobby:
            return "waiting"
        return "ready" if person in site.ready else "inside" if person in site.inside else "out"

    def connect(self, who: int, person: int) -> Steps:
        self.connected[person] = 1
        self.note(who, "connect", channel="socket", tab=1)
        yield 0.01

    def tunnel(self, who: int, person: int, seconds: float) -> Steps:
        self.connected[person] = 0
        self.note(who, "disconnect", channel="socket", tab=1)
        yield seconds
        yield from self.connect(who, person)

    def shop(self, who: int, person: int, persona: str) -> Iterator[Any]:
        site = self.site
        seats = self.rng.sample(range(1, self.seats + 1), self.rng.choice([1, 2]))
        shown = {"map": "live"} if site.shows_free(seats) else {}
        code = f"R{next(self.codes)}"

        def answer(order: Order) -> dict[str, Any]:
            times = {"deadline": iso(order.deadline), "server_time": iso(order.made)}
            return {"reservation": order.code, "seats": order.seats, **times}

        order = yield from self.call(
            who, "hold", lambda: site.hold(person, seats, code), answer, asked=seats, **shown
        )
        if order is None or persona == "quitter":
            yield from self.call(who, "leave", lambda: site.out(person, "left"), lambda _: {})
            return "gave_up"
        if persona == "ditherer":
            yield HOLD_SECONDS + 2
            return "expired"
        if persona == "bot":
            yield from self.call(
                who, "release", lambda: self.release(code), lambda _: {}, reservation=code
            )
            return "gave_up"
        return (yield from self.purchase(who, persona, code))

    def release(self, code: str) -> bool:
        order = self.site.orders[code]
        held = order.state == "held"
        order.state = "released" if held else order.state
        return held

    def purchase(self, who: int, persona: str, code: str) -> Iterator[Any]:
        site, number = self.site, f"pay-{code}"
        yield self.rng.uniform(0.2, 2)
        yield from self.call(
            who,
            "pay",
            lambda: site.pay(code, number),
            lambda _: {"payment": number},
            reservation=code,
        )
        if number not in site.payments:
            return "gave_up"
        works = persona != "declined"
        for action in ("confirm", "payment_status", "payment_status"):
            state = yield from self.call(
                who,
                action,
                lambda: site.settle(number, works),
                lambda it: {"state": it},
                payment=number,
            )
            yield 0.5
            if self.records[-1].done and state is not None:
                break
        site.settle(number, works)
        if not works:
            return "declined"
        if persona == "gives back":
            yield from self.call(
                who, "cancel", lambda: site.cancel(number), lambda it: {"state": it}, payment=number
            )
            return "gave_back"
        return "bought"


def honest(**options: Any) -> Evidence:
    return Sale(**options).run()
