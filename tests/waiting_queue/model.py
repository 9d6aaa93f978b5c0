"""The line as plain Python: slow, in one thread, and simple enough to be seen to be right.

Time is in milliseconds. Places are dictionaries, permits are exact fractions, and every rule is
written out where it applies. The scripts must agree with it in everything that a person can see.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from waiting_queue.store import Rules
from waiting_queue.store.line import CLAIM_GRACE_MS

HOUR, MINUTE, OUTAGE, MOMENT = 3_600_000, 60_000, 10_000, 1_000
ENDINGS = ("completed", "left", "expired", "blocked")
PLACES = ("waiting", "admitted", "ready", "lobby")


@dataclass
class Person:
    """Somebody in the line, or who was in it."""

    state: str = "none"
    number: int = 0
    until: int = 0
    admitted: int = 0
    seen: int = 0
    ended: tuple[int, int] = (0, 0)


@dataclass
class Model:
    rules: Rules
    refilled: int
    ticked: int
    tokens: Fraction = Fraction(0)
    counted_from: int = 0
    last_number: int = 0
    lobby_first: int = 0
    lobby_last: int = 0
    people: dict[str, Person] = field(default_factory=dict)
    blocked: set[str] = field(default_factory=set)
    let_in: list[tuple[int, str]] = field(default_factory=list)

    # -- where people are -------------------------------------------------------------------------

    def of(self, person: str) -> Person:
        return self.people.setdefault(person, Person())

    def those(self, *states: str) -> list[str]:
        return [name for name, person in self.people.items() if person.state in states]

    def line(self) -> list[str]:
        return sorted(self.those("waiting"), key=lambda name: self.of(name).number)

    def state(self, name: str, now: int) -> str:
        """What the person is told: a call or a pass that ran out is over, even before the tick."""
        person = self.of(name)
        if person.state in {"ready", "admitted"} and person.until <= now:
            return "expired"
        return person.state

    def room(self) -> int:
        return self.rules.cap - len(self.those("ready", "admitted"))

    # -- permits ----------------------------------------------------------------------------------

    @property
    def rate(self) -> Fraction:
        return Fraction(str(self.rules.rate))

    def permits(self, now: int) -> Fraction | None:
        """None: no limit."""
        if self.rules.rate == 0:
            return None
        elapsed = min(max(now - self.refilled, 0), MINUTE)
        return self.tokens + elapsed * self.rate / 1000

    def spend(self, available: Fraction | None, count: int, now: int, more: bool = False) -> None:
        kept_for = MINUTE if more else MOMENT
        most = max(self.rate * kept_for / 1000, Fraction(1))
        self.tokens = Fraction(0) if available is None else min(available - count, most)
        self.refilled = later(now, self.refilled)

    # -- what people do ---------------------------------------------------------------------------

    def join(self, name: str, now: int) -> str:
        person = self.of(name)
        if name in self.blocked:
            return "blocked"
        if self.state(name, now) in PLACES:
            if person.state in {"waiting", "lobby"}:
                person.seen = now
            return "already"
        if refusal := {"scheduled": "not_open", "closed": "over", "draining": "over"}.get(
            self.rules.state
        ):
            return refusal
        if len(self.those("waiting", "lobby")) >= self.rules.capacity:
            return "full"
        # A call or pass that ran out is over by now, and its place is free.
        self.end(name, "expired", now)
        self._enter(name, now)
        return "joined"

    def _enter(self, name: str, now: int) -> None:
        if self.rules.state == "lobby":
            self.people[name] = Person("lobby", seen=now)
            return
        self.last_number += 1
        if self._may_walk_in(now):
            self.spend(self.permits(now), 1, now)
            self._admit(name, self.last_number, now)
        else:
            self.people[name] = Person("waiting", self.last_number, seen=now)

    def _may_walk_in(self, now: int) -> bool:
        permits = self.permits(now)
        free = self.rules.state == "open" and not self.rules.drawing and self.room() > 0
        return free and not self.those("waiting", "ready") and (permits is None or permits >= 1)

    def _admit(self, name: str, number: int, now: int) -> None:
        self.people[name] = Person("admitted", number, until=now + self.rules.pass_ms, admitted=now)
        self.let_in.append((now, name))

    def poll(self, name: str, now: int) -> None:
        person = self.of(name)
        if person.state in {"waiting", "lobby"}:
            person.seen = now
        if self.state(name, now) == "admitted":
            longest = person.admitted + self.rules.pass_max_ms
            person.until = max(person.until, min(now + self.rules.pass_ms, longest))

    def claim(self, name: str, now: int) -> str:
        match self.state(name, now):
            case "ready":
                self._admit(name, self.of(name).number, now)
                self.let_in.pop()  # the permit was taken when they were called
                return "claimed"
            case "admitted":
                return "already"
            case "waiting" | "lobby":
                return "not_yet"
            case "expired":
                self.end(name, "expired", now)
                return "late"
        return "not_in_line"

    def leave(self, name: str, how: str, now: int) -> str:
        if how == "blocked":
            self.blocked.add(name)
        was = self.of(name).state
        if was not in PLACES or (how == "completed" and was != "admitted"):
            return "none"
        self.end(name, how, now)
        return was

    def end(self, name: str, how: str, now: int) -> None:
        if self.of(name).state in PLACES:
            self.people[name] = Person(how, ended=(now, ENDINGS.index(how)))

    def ahead(self, name: str) -> int:
        """Those in line before this one, and those of a lobby who are about to be."""
        of_lobby = self.those("lobby") if self.lobby_first else []
        behind_lobby = self.of(name).number > self.lobby_last
        return self.line().index(name) + (len(of_lobby) if behind_lobby else 0)

    # -- what the clock does ----------------------------------------------------------------------

    def set_rules(self, rules: Rules, now: int) -> None:
        if rules.state == "lobby" and self.lobby_first:
            return
        self.rules = rules
        if rules.drawing and not self.lobby_first:
            self.lobby_first = self.last_number + 1
            self.last_number += len(self.those("lobby"))
            self.lobby_last = self.last_number
            self.refilled = now

    def tick(self, rules: Rules, now: int, *, batch: int, sweep: int) -> list[str]:
        self.set_rules(rules, now)
        self._forgive_an_outage(now)
        self._sweep(now, sweep)
        called: list[str] = []
        if self.rules.state in {"open", "draining"} and not self.rules.drawing:
            called = self._call_next(now, batch)
        else:
            self.tokens, self.refilled = Fraction(0), later(now, self.refilled)
        self.ticked = later(now, self.ticked)
        return called

    def _forgive_an_outage(self, now: int) -> None:
        step = later(now, self.ticked) - self.ticked
        if step > OUTAGE or step < 0:
            for name in self.those("ready", "admitted"):
                self.of(name).until += step
            self.counted_from = now

    def _sweep(self, now: int, sweep: int) -> None:
        def by_time(name: str, moment: int) -> tuple[int, str]:
            return moment, name

        over = [
            *sorted(by_time(n, self.of(n).until) for n in self.those("admitted")),
            *sorted(by_time(n, self.of(n).until + CLAIM_GRACE_MS) for n in self.those("ready")),
        ]
        gone = [name for until, name in over if until <= now]
        seen = sorted(by_time(n, self.of(n).seen) for n in self.those("waiting", "lobby"))
        gone += [name for _, name in seen if self._is_away(name, now)]
        for name in gone[:sweep]:
            self.end(name, "expired", now)
        out = sorted((self.of(name).ended, name) for name in self.those(*ENDINGS))
        for name in [name for ended, name in out if ended <= (now - HOUR, 0)][:sweep]:
            self.people[name] = Person()

    def _is_away(self, name: str, now: int) -> bool:
        counts = self.counted_from + self.rules.absence_ms <= now
        return counts and self.of(name).seen <= now - self.rules.absence_ms

    def _call_next(self, now: int, batch: int) -> list[str]:
        permits = self.permits(now)
        wanted = max(self.room() if permits is None else min(int(permits), self.room()), 0)
        looked_at = self.line()[: min(wanted, batch)]
        called = [name for name in looked_at if not self._is_away(name, now)]
        for name in looked_at:
            self._call(name, now) if name in called else self.end(name, "expired", now)
        unfinished = len(called) < wanted and len(looked_at) == min(wanted, batch)
        self.spend(permits, len(called), now, unfinished)
        return called

    def _call(self, name: str, now: int) -> None:
        person = self.of(name)
        self.people[name] = Person("ready", person.number, until=now + self.rules.claim_ms)
        self.let_in.append((now, name))

    def draw(self, names: list[str], first: int, now: int) -> int:
        drawn = [name for name in names if self.of(name).state == "lobby"]
        for name in drawn:
            seen = self.of(name).seen
            self.people[name] = Person("waiting", first + names.index(name), seen=seen)
        return len(drawn)


def later(now: int, before: int) -> int:
    """Time does not run back, unless by so much that the clock was put right."""
    return now if before - now > MINUTE else max(now, before)
