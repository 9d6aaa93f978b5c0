"""The line as plain Python: slow, in one thread, and simple enough to be seen to be right.

Time is in milliseconds. Places are dictionaries, permits are exact fractions, and every rule is
written out where it applies. The scripts must agree with it in everything that a person can see.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction

from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.store import LaneRule, Rules
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
    minute: int = 0  # at whose end they are drawn; 0: at the opening
    listed_as: str = ""  # whose lot they have, if they have the place from somebody on the list
    leader: str = ""  # of a companion, or of those who were called together

    @property
    def lane(self) -> int:
        return self.number // LANE_NUMBERS


@dataclass
class Model:
    rules: Rules
    refilled: int
    ticked: int
    tokens: Fraction = Fraction(0)
    given_back: Fraction = Fraction(0)
    counted_from: int = 0
    last_numbers: dict[int, int] = field(default_factory=dict)  # of each lane
    tags: dict[int, float] = field(default_factory=dict)  # when the next call may start
    lane_clock: float = 0.0  # the start of the last call
    lobby_first: int = 0
    lobby_last: int | None = None
    minute: int = 0  # the last one in which somebody came
    minute_ends: int | None = None  # None: no minute runs
    minute_ended: int = 0
    undrawn: dict[int, int] = field(default_factory=dict)  # minutes that are over: first number
    parties: dict[str, list[str]] = field(default_factory=dict)  # companions of each leader
    may_still_come: dict[int, int] = field(default_factory=dict)  # of a called party, by number
    codes: set[str] = field(default_factory=set)  # of people who were given one
    people: dict[str, Person] = field(default_factory=dict)
    blocked: set[str] = field(default_factory=set)
    let_in: list[tuple[int, str]] = field(default_factory=list)
    demoted: dict[str, tuple[int, int]] = field(default_factory=dict)  # first and present number

    # -- where people are -------------------------------------------------------------------------

    def of(self, person: str) -> Person:
        return self.people.setdefault(person, Person())

    def those(self, *states: str) -> list[str]:
        return [name for name, person in self.people.items() if person.state in states]

    def line(self, lane: int = 0) -> list[str]:
        people = [name for name in self.those("waiting") if self.of(name).lane == lane]
        return sorted(people, key=lambda name: self.of(name).number)

    @property
    def lanes(self) -> tuple[LaneRule, ...]:
        return self.rules.lanes or (LaneRule(0, 1),)

    @property
    def last_number(self) -> int:
        return self.last_numbers.get(0, 0)

    def state(self, name: str, now: int) -> str:
        """What the person is told: a call or a pass that ran out is over, even before the tick."""
        person = self.of(name)
        if person.state in {"ready", "admitted"} and person.until <= now:
            return "expired"
        return self.holder(name).state

    def holder(self, name: str) -> Person:
        """Whose place somebody has: companions have that of their leader."""
        person = self.of(name)
        return self.of(person.leader) if person.state == "companion" else person

    def drawn_together(self, minute: int = 0) -> dict[str, str]:
        """Who is on the list of a draw, and who has their place."""
        people = {name: self.of(name) for name in self.those("lobby")}
        return {
            person.listed_as or name: name
            for name, person in people.items()
            if person.minute == minute
        }

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

    def give_back_permit(self, person: Person) -> None:
        """Of somebody who was called and did not come in: up to three seconds' worth is kept.

        A party took one permit, which is given back if nobody of it comes.
        """
        if person.leader:
            others = self.may_still_come.pop(person.number, 0) - 1
            if others > 0:
                self.may_still_come[person.number] = others
            if others:
                return
        before, most = self.tokens, max(3 * self.rate, Fraction(1))
        self.tokens = max(before, min(before + 1, most))
        self.given_back += self.tokens - before

    # -- what people do ---------------------------------------------------------------------------

    def join(self, name: str, now: int, lane: int = 0) -> str:
        if name in self.blocked:
            return "blocked"
        if self.state(name, now) in PLACES:
            self._notice(name, now)
            return "already"
        if self.rules.mode == "closed":
            return "over"
        if refusal := {"scheduled": "not_open", "closed": "over", "draining": "over"}.get(
            self.rules.state
        ):
            return refusal
        if any(one.id == lane and one.opens_ms > now for one in self.lanes):
            return "lane_not_open"
        if len(self.those("waiting", "lobby")) >= self.rules.capacity:
            return "full"
        # A call or pass that ran out is over by now, and its place is free.
        self.end(name, "expired", now)
        self._enter(name, now, lane)
        return "joined"

    def _enter(self, name: str, now: int, lane: int) -> None:
        if self.rules.state == "lobby":
            self.people[name] = Person("lobby", lane * LANE_NUMBERS, seen=now)
            return
        self._end_due_minute(now)
        if self.rules.mode == "minute_draw":
            self._join_minute(name, now)
            return
        number = self._next_number(lane)
        if self._may_walk_in(now):
            self.spend(self.permits(now), 1, now)
            self._charge(next(one for one in self.lanes if one.id == lane))
            self._admit(name, number, now)
        else:
            self.people[name] = Person("waiting", number, seen=now)

    def _may_walk_in(self, now: int) -> bool:
        permits = self.permits(now)
        free = self.rules.state == "open" and not self.rules.drawing and self.room() > 0
        is_empty = not self.those("waiting", "ready") and not self.undrawn
        is_free = free and (is_empty or self.rules.mode == "passthrough")
        return is_free and (permits is None or permits >= 1)

    def _notice(self, name: str, now: int) -> None:
        if self.of(name).state in {"waiting", "lobby", "companion"}:
            self.of(name).seen = now

    def _admit(self, name: str, number: int, now: int) -> None:
        self.people[name] = Person("admitted", number, until=now + self.rules.pass_ms, admitted=now)
        self.let_in.append((now, name))

    def poll(self, name: str, now: int) -> None:
        person = self.of(name)
        self._notice(name, now)
        if self.state(name, now) == "admitted":
            longest = person.admitted + self.rules.pass_max_ms
            person.until = max(person.until, min(now + self.rules.pass_ms, longest))

    def claim(self, name: str, now: int) -> str:
        match self.state(name, now):
            case "ready":
                if self.of(name).leader:
                    self.may_still_come.pop(self.of(name).number, None)
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
        was = self.holder(name).state
        if was not in PLACES or (how == "completed" and was != "admitted"):
            return "none"
        self.end(name, how, now)
        return was

    def end(self, name: str, how: str, now: int) -> None:
        person = self.of(name)
        if person.state == "ready":
            self.give_back_permit(person)
        if person.state == "companion":
            self.parties[person.leader].remove(name)
        self._hand_over(name)
        if person.state in {*PLACES, "companion"}:
            self.people[name] = Person(how, ended=(now, ENDINGS.index(how)))

    def ahead(self, name: str) -> int:
        """Those in line before this one, and those of a lobby who are about to be."""
        name = self.of(name).leader or name
        lane, number = divmod(self.of(name).number, LANE_NUMBERS)
        is_behind = self.lobby_last is not None and number > self.lobby_last
        lobby = [self.of(other) for other in self.those("lobby")] if is_behind else []
        undrawn = [one for one in lobby if one.lane == lane and not self._is_gathering(one)]
        return self.line(lane).index(name) + len(undrawn)

    def _is_gathering(self, person: Person) -> bool:
        """Whether their minute still runs: they will be behind everybody who has a number."""
        return self.minute_ends is not None and person.minute == self.minute

    # -- parties ----------------------------------------------------------------------------------

    def invite(self, name: str, now: int) -> str:
        match self.state(name, now):
            case "ready" | "admitted":
                return "too_late"
            case "waiting" | "lobby":
                pass
            case _:
                return "not_in_line"
        if self.of(name).leader:
            return "not_leader"
        if len(self.parties.get(name, [])) >= self.rules.companions:
            return "party_full"
        self.codes.add(name)
        return "invited"

    def join_party(self, name: str, code_of: str, now: int) -> str:
        """With the code of somebody whose place may be another's by now."""
        if name in self.blocked:
            return "blocked"
        if code_of not in self.codes or self.state(code_of, now) not in {"waiting", "lobby"}:
            return "no_invitation"
        leader = self.of(code_of).leader or code_of
        is_member = self.of(name).state == "companion" and self.of(name).leader == leader
        if name == leader or is_member:
            self._notice(name, now)
            return "already"
        state = self.state(name, now)
        if state in {"ready", "admitted"}:
            return "too_late"
        if self.rules.state in {"draining", "closed"}:
            return "over"
        if len(self.parties.get(leader, [])) >= self.rules.companions:
            return "party_full"
        self.end(name, "left", now)
        self.people[name] = Person("companion", leader=leader, seen=now)
        self.parties.setdefault(leader, []).append(name)
        return "joined"

    def _hand_over(self, name: str) -> None:
        """The place goes to the companion who joined first, and to the others with them."""
        heir, *rest = self.parties.pop(name, None) or [""]
        if not heir:
            return
        person, seen = self.of(name), self.of(heir).seen
        is_listed = person.minute in self.undrawn if person.minute else bool(self.lobby_first)
        listed_as = person.listed_as or name if is_listed and person.state == "lobby" else ""
        self.people[heir] = replace(person, seen=seen, listed_as=listed_as)
        self.parties[heir] = rest
        for other in rest:
            self.of(other).leader = heir

    # -- draws every minute -----------------------------------------------------------------------

    def _join_minute(self, name: str, now: int) -> None:
        if self.minute_ends is None:
            self.minute += 1
            self.minute_ends = (later(now, self.minute_ended) // MINUTE + 1) * MINUTE
        self.people[name] = Person("lobby", seen=now, minute=self.minute)

    def _end_due_minute(self, now: int) -> None:
        """Reserve numbers for those of the minute; a clock may have been wrong about its end."""
        ends = self.minute_ends
        if ends is None:
            return
        is_over = not self.rules.drawing and (now >= ends or ends - now > 2 * MINUTE)
        if not is_over and self.rules.mode == "minute_draw":
            return
        self.minute_ends, self.minute_ended = None, min(now, ends)
        if people := self.drawn_together(self.minute):
            self.undrawn[self.minute] = self.last_number + 1
            self.lobby_last = self.last_numbers[0] = self.last_number + len(people)

    # -- what operators do to places --------------------------------------------------------------

    def demote(self, name: str, now: int) -> bool:
        """To the end of the own lane. What comes back is the number before the first of several."""
        person = self.of(name)
        first, given = self.demoted.get(name, (0, 0))
        if given != person.number:
            first = person.number
        self.demoted[name] = first, 0
        state = self.state(name, now)
        if state not in {"waiting", "ready"}:
            return False
        if state == "ready":
            self.give_back_permit(person)
        number = self._next_number(person.lane)
        self.demoted[name] = first, number
        self.people[name] = Person("waiting", number, seen=now)
        return True

    def undo_demotion(self, name: str, now: int) -> bool:
        first, given = self.demoted.pop(name, (0, 0))
        person = self.of(name)
        if person.state != "waiting" or not given or given != person.number:
            return False
        self.people[name] = Person("waiting", first, seen=now)
        return True

    def _next_number(self, lane: int) -> int:
        self.last_numbers[lane] = self.last_numbers.get(lane, 0) + 1
        return lane * LANE_NUMBERS + self.last_numbers[lane]

    # -- lanes ------------------------------------------------------------------------------------

    def _start(self, lane: LaneRule) -> float:
        """When the next call of this lane starts: not in the past, so empty lanes save nothing."""
        return max(self.tags.get(lane.id, 0.0), self.lane_clock)

    def _charge(self, lane: LaneRule) -> None:
        if self.rules.lanes:
            self.lane_clock = self._start(lane)
            self.tags[lane.id] = self.lane_clock + 1 / lane.weight

    def _fairest(self, lines: dict[LaneRule, list[str]]) -> LaneRule | None:
        waiting = [lane for lane, people in lines.items() if people]
        return min(waiting, key=self._start) if waiting else None

    # -- what the clock does ----------------------------------------------------------------------

    def set_rules(self, rules: Rules, now: int) -> None:
        if rules.state == "lobby" and self.lobby_first:
            return
        self.rules = rules
        if rules.drawing and not self.lobby_first:
            given = max([0, *self.last_numbers.values()])
            self.lobby_first = given + 1
            self.lobby_last = given + len(self.those("lobby"))
            self.last_numbers = {lane.id: given + len(self.those("lobby")) for lane in self.lanes}
            self.refilled = now

    def tick(self, rules: Rules, now: int, *, batch: int, sweep: int) -> list[str]:
        self.set_rules(rules, now)
        self._end_due_minute(now)
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
        seen = sorted(
            by_time(n, self.of(n).seen) for n in self.those("waiting", "lobby", "companion")
        )
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
        lines = {lane: self._callable(lane.id) for lane in self.lanes if lane.opens_ms <= now}
        called: list[str] = []
        looked_at = places = 0
        free = self.room()
        while looked_at < min(wanted, batch) and (lane := self._fairest(lines)):
            name = lines[lane].pop(0)
            size = 1 + len(self.parties.get(name, []))
            if self._is_away(name, now):
                self.end(name, "expired", now)
            elif size > free and free < self.rules.cap:
                break
            else:
                self._charge(lane)
                together = self._call(name, now)
                called, places, free = called + together, places + 1, free - len(together)
            looked_at += 1
        unfinished = places < wanted and looked_at == min(wanted, batch)
        self.spend(permits, places, now, unfinished)
        return called

    def _callable(self, lane: int) -> list[str]:
        """Those of a lane in order; nobody overtakes people of a minute that is not drawn yet."""
        line, first = self.line(lane), min(self.undrawn.values(), default=None)
        if lane or first is None:
            return line
        return [name for name in line if self.of(name).number < first]

    def _call(self, name: str, now: int) -> list[str]:
        """The whole party: absent companions are out."""
        number, companions = self.of(name).number, self.parties.get(name, [])
        for absent in [one for one in companions if self._is_away(one, now)]:
            self.end(absent, "expired", now)
        members = [name, *self.parties.pop(name, [])]
        leader = name if len(members) > 1 else ""
        if leader:
            self.may_still_come[number] = len(members)
        until = now + self.rules.claim_ms
        for member in members:
            self.people[member] = Person("ready", number, until=until, leader=leader)
        self.let_in.append((now, name))
        return members

    def draw(self, names: list[str], first: int, minute: int = 0) -> dict[str, int]:
        """Give everybody on the list, or whoever has their place, the number drawn for them."""
        holders, given = self.drawn_together(minute), dict[str, int]()
        for number, listed in enumerate(names, first):
            if name := holders.get(listed):
                person = self.of(name)
                given[name] = person.lane * LANE_NUMBERS + number
                self.people[name] = Person("waiting", given[name], seen=person.seen)
        return given


def later(now: int, before: int) -> int:
    """Time does not run back, unless by so much that the clock was put right."""
    return now if before - now > MINUTE else max(now, before)
