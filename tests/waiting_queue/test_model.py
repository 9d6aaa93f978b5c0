"""The scripts against the model: whatever people, operators and clocks do, both say the same.

The same examples are tried each time, others in `make soak`. To search longer:
`QUEUE_SEARCH_SECONDS=600 python -m pytest tests/waiting_queue/test_model.py`.
"""

import os
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import count
from shutil import copytree
from typing import Any

import pytest
from django.conf import settings as site
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.soak import SOAK
from tests.waiting_queue.line import RULES, START, Line
from tests.waiting_queue.model import PLACES, Model
from ticketing.core import redis
from waiting_queue import keys, store
from waiting_queue.store import LaneRule, scripts

SEARCH_SECONDS = float(os.environ.get("QUEUE_SEARCH_SECONDS", 0))
PEOPLE = st.sampled_from([str(number) for number in range(1, 10)])
CROWDS = st.lists(PEOPLE, max_size=9, unique=True)
STEPS = st.one_of(
    st.integers(0, 3_000),
    st.just(0),
    st.sampled_from([1_000, 9_000, 12_000, 61_000, 300_000, 3_700_000]),
    st.integers(-59_000, -1),
    st.sampled_from([-61_000, -3_600_000]),
)
KNOBS = st.one_of(
    st.tuples(st.just("rate"), st.sampled_from([0, 0.25, 0.4, 1, 2.5, 3, 10])),
    st.tuples(st.just("cap"), st.integers(0, 6)),
    st.tuples(st.just("capacity"), st.integers(1, 10)),
    st.tuples(st.just("claim_ms"), st.sampled_from([5_000, 60_000])),
    st.tuples(st.just("pass_ms"), st.sampled_from([10_000, 300_000])),
    st.tuples(st.just("pass_max_ms"), st.sampled_from([20_000, 1_800_000])),
    st.tuples(st.just("absence_ms"), st.sampled_from([10_000, 300_000])),
)
_event_ids = count(1)


@dataclass
class Window:
    """People let in since a tick, and the most that the rate allows by then."""

    since: int
    burst: Fraction
    rate: Fraction
    given_back: Fraction  # permits of those who did not come, until then
    people: int = 0

    def most(self, now: int, given_back: Fraction) -> Fraction:
        earned = self.rate * max(now - self.since, 0) / 1000
        return earned + self.burst + given_back - self.given_back


class Lines(RuleBasedStateMachine):
    lanes: tuple[LaneRule, ...] = ()
    companions = 0

    def __init__(self) -> None:
        super().__init__()
        self.event_id = next(_event_ids)
        self.now: datetime = START
        self.high = self.ms
        self.given: dict[int, str] = {}
        self.windows: list[Window] = []
        self.drawn: list[str] | None = None

    @property
    def ms(self) -> int:
        return store.ms(self.now)

    @initialize(
        state=st.sampled_from(["open", "paused", "lobby"]),
        rate=st.sampled_from([0, 0.4, 1, 3]),
        absence=st.sampled_from([10_000, 10_000, 300_000]),
        crowd=CROWDS,
    )
    def begin(self, state: str, rate: float, absence: int, crowd: list[str]) -> None:
        """Some came while the queue was paused, so that there is a line from the start."""
        gather = "lobby" if state == "lobby" else "paused"
        self.rules = replace(RULES, state=gather, rate=rate, cap=3, capacity=8, absence_ms=absence)
        self.rules = replace(self.rules, lanes=self.lanes, companions=self.companions)
        self.line = Line(self.event_id, self.rules, self.now).begin()
        self.model = Model(self.rules, refilled=self.ms, ticked=self.ms)
        self.crowd(crowd)
        self.rules = replace(self.rules, state=state)
        self._begin()

    # -- people -----------------------------------------------------------------------------------

    @rule(person=PEOPLE)
    def join(self, person: str) -> None:
        before = self._taken()
        lane = int(person) % len(self.lanes) if self.lanes else 0
        result = self.line.join(person, lane=lane)
        assert result.outcome == self.model.join(person, self.ms, lane)
        assert self._taken() <= max(before, self.model.rules.cap)
        if result.outcome == "joined":
            self._give(result.standing.number, person)
            self._count_let_in([person] if result.standing.state == "admitted" else [])

    @rule(people=CROWDS)
    def crowd(self, people: list[str]) -> None:
        for person in people:
            self.join(person)

    @rule(person=PEOPLE)
    def poll(self, person: str) -> None:
        told = self.line.poll(person)
        self.model.poll(person, self.ms)
        self._compare(person, told)

    @rule(person=PEOPLE)
    def claim(self, person: str) -> None:
        assert self.line.claim(person).outcome == self.model.claim(person, self.ms)

    @rule(person=PEOPLE, how=st.sampled_from(["left", "left", "completed", "completed"]))
    def leave(self, person: str, how: str) -> None:
        assert self.line.leave(person, how, "because") == self.model.leave(person, how, self.ms)

    @rule(person=st.sampled_from(["1", "2"]))
    def block(self, person: str) -> None:
        self.leave(person, "blocked")

    # -- clocks -----------------------------------------------------------------------------------

    @rule(step=STEPS)
    def wait(self, step: int) -> None:
        self.now += timedelta(milliseconds=step)
        self.line.now = self.now
        if step < -59_000:
            self._begin_time_anew()
        self.high = max(self.high, self.ms)

    @rule()
    def tick(self) -> None:
        self._tick(self.rules)

    @rule(step=st.sampled_from([0, 500, 1_000, 1_000, 2_000]))
    def wait_and_tick(self, step: int) -> None:
        self.wait(step)
        self._tick(self.rules)

    @rule(step=st.sampled_from([12_000, 61_000, 400_000, -61_000]))
    def outage(self, step: int) -> None:
        self.wait(step)
        self._tick(self.rules)

    @rule(seconds=st.integers(2, 4), claiming=st.booleans())
    def go_on_for_some_time(self, seconds: int, claiming: bool) -> None:
        for _ in range(seconds):
            self.wait_and_tick(1_000)
            for person in self.model.those("ready") if claiming else []:
                self.claim(person)

    @rule(sweep=st.sampled_from([1, 500]))
    def nobody_gives_a_sign_of_life(self, sweep: int) -> None:
        for _ in range(2):
            self.wait(9_000)
            self._tick(self.rules, sweep=sweep)

    @precondition(lambda self: self.rules.state != "lobby" and not self.rules.drawing)
    @rule(people=CROWDS)
    def rush_into_an_empty_line(self, people: list[str]) -> None:
        self._everybody_goes()
        self.rules = replace(self.rules, state="open", rate=self.rules.rate or 1)
        self._begin()
        self.wait_and_tick(1_000)
        self.crowd(people)

    @precondition(lambda self: self.rules.state != "lobby" and not self.rules.drawing)
    @rule(first=CROWDS, then=CROWDS)
    def come_while_others_are_about_to_be_called(self, first: list[str], then: list[str]) -> None:
        self._everybody_goes()
        for state, people in (("paused", first), ("open", then)):
            self.rules = replace(self.rules, state=state, cap=max(self.rules.cap, 1))
            self._begin()
            self.wait(1_000)
            self.crowd(people)

    @precondition(lambda self: self.rules.state != "lobby" and not self.rules.drawing)
    @rule(people=CROWDS, sweep=st.sampled_from([1, 500]))
    def a_crowd_that_falls_silent_is_called(self, people: list[str], sweep: int) -> None:
        self._everybody_goes()
        self.rules = replace(self.rules, state="paused", absence_ms=10_000)
        self._begin()
        self.crowd(people)
        for state in ("paused", "open"):
            self.move(state, at_once=False)
            self.wait(9_000)
            self._tick(self.rules, sweep=sweep)

    @rule(batch=st.integers(1, 3), sweep=st.integers(1, 3))
    def tick_in_small_parts(self, batch: int, sweep: int) -> None:
        self._tick(self.rules, batch=batch, sweep=sweep)

    @rule()
    def tick_of_another_epoch(self) -> None:
        rules = replace(self.rules, epoch="other", state="open", rate=0)
        assert store.run(store.tick(self.event_id, rules, self.now)).lost

    # -- operators --------------------------------------------------------------------------------

    @rule(knob=KNOBS, at_once=st.booleans())
    def turn(self, knob: tuple[str, Any], at_once: bool) -> None:
        """Knobs reach the scripts with the next tick, or at once with a move."""
        self.rules = replace(self.rules, **dict([knob]))
        for window in self.windows:
            window.rate = max(window.rate, Fraction(str(self.rules.rate)))
            window.burst = max(window.burst, window.rate)
        if self.rules.rate == 0:
            self.windows.clear()
        if at_once:
            self._begin()

    @precondition(lambda self: self.rules.state != "lobby")
    @rule(state=st.sampled_from(["open", "open", "paused", "draining"]), at_once=st.booleans())
    def move(self, state: str, at_once: bool) -> None:
        self.rules = replace(self.rules, state=state)
        if at_once:
            self._begin()

    # -- the draw ---------------------------------------------------------------------------------

    @precondition(lambda self: self.rules.state == "lobby")
    @rule(by_tick=st.booleans())
    def end_the_lobby(self, by_tick: bool) -> None:
        self.rules = replace(self.rules, state="open", drawing=True)
        self._tick(self.rules) if by_tick else self._begin()

    @precondition(lambda self: self.rules.drawing)
    @rule(late=CROWDS)
    def tick_that_knows_only_of_the_lobby(self, late: list[str]) -> None:
        self._tick(replace(self.rules, state="lobby", drawing=False))
        self.crowd(late)

    @precondition(lambda self: self.rules.drawing)
    @rule(data=st.data())
    def draw_a_part(self, data: st.DataObject) -> None:
        if self.drawn is None:
            lobby = sorted(store.lobby_people(self.event_id))
            assert lobby == sorted(self.model.drawn_together())
            self.drawn = data.draw(st.permutations(lobby))
        start = data.draw(st.integers(0, len(self.drawn)))
        self._draw(start, data.draw(st.integers(start, len(self.drawn))))

    @precondition(lambda self: self.rules.drawing and self.drawn is not None)
    @rule()
    def finish_the_draw(self) -> None:
        self._draw(0, len(self.drawn or []))
        self.rules = replace(self.rules, drawing=False)
        self._begin()

    # -- what always holds ------------------------------------------------------------------------

    @invariant()
    def both_say_the_same_of_everybody(self) -> None:
        if not hasattr(self, "line"):
            return
        people = list(self.model.people)
        looks = store.run_each([store.peek(self.event_id, p, self.now) for p in people])
        for person, told in zip(people, looks, strict=True):
            self._compare(person, told)

    @invariant()
    def everybody_is_in_one_place_and_the_books_agree(self) -> None:
        if not hasattr(self, "line"):
            return
        sets = self._sets()
        everywhere = [person for place in PLACES for person in sets[place]]
        assert len(everywhere) == len(set(everywhere))
        assert {place: set(sets[place]) for place in PLACES} == {
            place: set(self.model.those(place)) for place in PLACES
        }
        companions = self.model.those("companion")
        assert set(sets["seen"]) == {*sets["lobby"], *sets["waiting"], *companions}
        assert set(sets["called"]) == {*sets["ready"], *sets["admitted"]}
        self._compare_snapshot({place: len(sets[place]) for place in PLACES})

    @invariant()
    def the_rate_holds_in_every_window(self) -> None:
        if any(window.since > self.model.refilled for window in self.windows):
            self._begin_time_anew()
        for window in self.windows:
            assert window.people <= window.most(self.high, self.model.given_back)

    def teardown(self) -> None:
        store.erase(self.event_id)

    # -- how it is done ---------------------------------------------------------------------------

    def _begin_time_anew(self) -> None:
        """A clock was put right: what was let in before it says nothing about now."""
        self.windows.clear()
        self.high = self.ms

    def _everybody_goes(self) -> None:
        while people := self.model.those("companion", *PLACES):
            self.leave(people[0], "left")

    def _begin(self) -> None:
        store.run(store.configure(self.event_id, self.rules, self.now))
        self.model.set_rules(self.rules, self.ms)
        self.line.rules = self.rules

    def _tick(self, rules: Any, *, batch: int = 500, sweep: int = 500) -> None:
        before = self._taken()
        decision = store.tick(self.event_id, rules, self.now, batch=batch, sweep=sweep)
        ticked = store.run(decision)
        assert ticked.called == self.model.tick(rules, self.ms, batch=batch, sweep=sweep)
        # A party larger than all places is called when nobody is inside.
        most = max(self.model.rules.cap, 1 + self.companions if self.companions else 0)
        assert ticked.ready + ticked.inside <= max(before, most)
        self._check_order(ticked.called)
        self._count_let_in(ticked.called)
        self._open_window()

    def _check_order(self, called: list[str]) -> None:
        for lane in self.model.lanes:
            those = [self.model.of(person) for person in called]
            numbers = [person.number for person in those if person.lane == lane.id]
            waiting = [self.model.of(person).number for person in self.model.line(lane.id)]
            assert numbers == sorted(numbers)
            assert not numbers or not waiting or numbers[-1] < waiting[0]

    def _open_window(self) -> None:
        rate = self.model.rate
        if rate and self.rules.rate:
            rate = max(rate, Fraction(str(self.rules.rate)))
            burst = max(rate, Fraction(1), self.model.tokens)
            self.windows.append(Window(self.model.refilled, burst, rate, self.model.given_back))

    def _count_let_in(self, people: list[str]) -> None:
        """A party takes one permit."""
        places = {self.model.of(person).number for person in people}
        for window in self.windows:
            window.people += len(places)

    def _draw(self, start: int, end: int) -> None:
        self._give_numbers((self.drawn or [])[start:end], self.model.lobby_first + start)

    def _give_numbers(self, listed: list[str], first: int, minute: int = 0) -> None:
        epoch = self.rules.epoch
        call = store.draw(self.event_id, listed, first, self.now, epoch=epoch, minute=minute)
        moved = store.run(call).moved
        given = self.model.draw(listed, first, minute)
        assert moved == len(given)
        for person, number in given.items():
            self._give(number, person)

    def _give(self, number: int, person: str) -> None:
        if number % keys.LANE_NUMBERS:
            assert number not in self.given, "a number was given twice"
            self.given[number] = person

    def _taken(self) -> int:
        return len(self.model.those("ready", "admitted"))

    def _compare(self, person: str, told: store.Standing) -> None:
        state, ours = self.model.state(person, self.ms), self.model.holder(person)
        assert told.state == state
        if ours.state in PLACES:
            ahead = self.model.ahead(person) if state == "waiting" else 0
            assert (told.number, told.ahead, told.deadline_ms, told.admitted_ms) == (
                *(ours.number, ahead, ours.until),
                ours.admitted,
            )

    def _sets(self) -> dict[str, Any]:
        names = {"waiting": "line", "admitted": "inside", "ready": "ready", "lobby": "lobby"}
        pipe = redis.queue_client().pipeline(transaction=False)
        for name in (*names.values(), "seen"):
            pipe.zrange(keys.key(self.event_id, name), 0, -1)
        pipe.hkeys(keys.key(self.event_id, "called"))
        return dict(zip((*names, "seen", "called"), pipe.execute(), strict=True))

    def _compare_snapshot(self, sizes: dict[str, int]) -> None:
        shot = store.run(store.snapshot(self.event_id))
        named = {**sizes, "inside": sizes["admitted"]}
        assert {name: int(shot[name]) for name in ("lobby", "waiting", "ready", "inside")} == {
            name: named[name] for name in ("lobby", "waiting", "ready", "inside")
        }
        assert int(shot["last_number"]) == self.model.last_number
        assert Fraction(shot["tokens"]) == self.model.tokens
        assert int(shot["refilled"]) == self.model.refilled


class LanedLines(Lines):
    """The same with lanes, of which the last opens some seconds later, and demotions in them."""

    lanes = LaneRule(0, 1), LaneRule(1, 3), LaneRule(2, 2, store.ms(START) + 5_000)
    batches = 0

    @rule(person=PEOPLE)
    def demote(self, person: str) -> None:
        self.batches += 1
        moved = self.line.demote(person, batch=str(self.batches))
        assert bool(moved) == self.model.demote(person, self.ms)
        if moved:
            self._give(self.model.of(person).number, person)

    @rule(person=PEOPLE)
    def undo_demotion(self, person: str) -> None:
        assert self.line.undo_demotion(person) == self.model.undo_demotion(person, self.ms)

    @rule(lane=st.integers(0, 2), weight=st.integers(1, 4))
    def weigh(self, lane: int, weight: int) -> None:
        """The next tick uses it."""
        lanes = [replace(one, weight=weight) if one.id == lane else one for one in self.rules.lanes]
        self.rules = replace(self.rules, lanes=tuple(lanes))

    @invariant()
    def both_say_the_same_of_the_lanes(self) -> None:
        if not hasattr(self, "line"):
            return
        shot = store.run(store.snapshot(self.event_id))
        for lane in self.model.lanes:
            assert int(shot[f"lane:{lane.id}:waiting"]) == len(self.model.line(lane.id))


class PartyLines(Lines):
    """The same with companions, and with modes that an operator changes at any time."""

    companions = 2

    def __init__(self) -> None:
        super().__init__()
        self.listed: dict[int, list[str]] = {}

    @rule(person=PEOPLE)
    def invite(self, person: str) -> None:
        assert self.line.invite(person).outcome == self.model.invite(person, self.ms)

    @rule(leader=PEOPLE, people=CROWDS)
    def join_party(self, leader: str, people: list[str]) -> None:
        self.invite(leader)
        for person in people[:3]:
            outcome = self.line.join_party(person, f"CODE{leader}").outcome
            assert outcome == self.model.join_party(person, leader, self.ms)

    @rule(mode=st.sampled_from(["first_come", "passthrough", "closed", *["minute_draw"] * 3]))
    def set_mode(self, mode: str) -> None:
        self.rules = replace(self.rules, mode=mode)
        self._begin()

    @precondition(lambda self: hasattr(self, "model") and self.model.undrawn)
    @rule(data=st.data())
    def list_a_minute(self, data: st.DataObject) -> None:
        minute = min(self.model.undrawn)
        people = store.minute_people(self.event_id, minute)
        assert people == sorted(self.model.drawn_together(minute))
        self.listed.setdefault(minute, data.draw(st.permutations(people)))

    @precondition(lambda self: hasattr(self, "model") and self.listed)
    @rule()
    def draw_a_minute(self) -> None:
        minute, people = self.listed.popitem()
        self._give_numbers(people, self.model.undrawn.pop(minute), minute)
        store.run(store.finish_minute(self.event_id, minute, epoch=self.rules.epoch))


@pytest.fixture(autouse=True)
def moves_without_limit(monkeypatch):
    """People here join and leave more often than anybody may."""
    monkeypatch.setattr(site, "MOVES_PER_MINUTE", 0)


QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much]
same_each_time = settings(
    max_examples=30,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=QUIET,
)
without_shrinking = settings(same_each_time, max_examples=600, phases=[Phase.generate])


other_each_time = settings(same_each_time, max_examples=60 * SOAK, derandomize=False)


@pytest.mark.soak(scales=True)
@pytest.mark.parametrize("machine", [Lines, LanedLines, PartyLines])
def test_the_scripts_and_the_model_agree(machine):
    searched = same_each_time if SOAK == 1 else other_each_time
    run_state_machine_as_test(machine, settings=searched)


def search_longer():
    until = time.monotonic() + SEARCH_SECONDS
    longer = settings(
        max_examples=40,
        stateful_step_count=60,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=QUIET,
    )
    while time.monotonic() < until:
        run_state_machine_as_test(Lines, settings=longer)


if SEARCH_SECONDS:  # a test on request only: it never finds the same twice
    test_a_longer_search_finds_no_disagreement = search_longer


# -- controls: the search is known to find what it looks for --------------------------------------

MISTAKES = {
    "the cap forgets those called": ("_line.lua", " - redis.call('ZCARD', ready)", ""),
    "the rate is a tenth too high": (
        "_line.lua",
        "elapsed * rate / 1000)",
        "elapsed * rate / 900)",
    ),
    "a no-show costs the permit": ("_line.lua", "    give_back_permit(leader, number)\n", ""),
    "who walks in pays nothing": ("join.lua", "    spend(1, now, available, rate, refilled)\n", ""),
    "who walks in passes those who wait": ("join.lua", "in_line == 0 and ", ""),
    "the called are still seen": (
        "_party.lua",
        "    redis.call('ZREM', seen, unpack(people))\n",
        "",
    ),
    "an outage costs passes": ("tick.lua", "  shift(inside, step)\n", ""),
    "the absent are called": ("tick.lua", "seen_at <= absent_since", "seen_at <= -2"),
    "a late lobby is believed": ("_line.lua", "state == 'lobby' and", "state == 'none' and"),
    "a tick forgets the lobby": ("_line.lua", "if drawing == '1' then", "if false then"),
    "weights don't count": ("_lane_turns.lua", "1 / lane.weight", "1"),
    "a rank counts other lanes": ("_line.lua", "number >= LANE_NUMBERS", "false"),
    "the end is that of all lanes": (
        "_party.lua",
        "next_number(lane_of(number))",
        "next_number(0)",
    ),
    "a lane opens early": ("join.lua", "opens > now", "opens > now + 60000"),
    "a party takes one place inside": ("tick.lua", "free - add_place", "free - 1, add_place"),
    "a party loses the place of its leader": (
        "_line.lua",
        "hand_over and hand_over(person, now)",
        "false",
    ),
    "a minute goes on with its latecomers": ("join.lua", "  end_due_minute(now)\n", ""),
    "those of a minute are overtaken": ("tick.lua", "undrawn and '(' .. undrawn or to", "to"),
    "everybody waits in spite of the mode": ("join.lua", " or mode == 'passthrough'", ""),
}


MISTAKES_WITH_LANES = {
    *("weights don't count", "a rank counts other lanes", "a lane opens early"),
    "the end is that of all lanes",
}
MISTAKES_WITH_PARTIES = {
    *("a party takes one place inside", "a party loses the place of its leader"),
    *("a minute goes on with its latecomers", "those of a minute are overtaken"),
    "everybody waits in spite of the mode",
}

# What the search finds late: the steps that it would find.
STEPS_TO = {
    "a late lobby is believed": [
        ("begin", "lobby", 1, 300_000, ["1", "2"]),
        ("end_the_lobby", True),
        ("tick_that_knows_only_of_the_lobby", ["3"]),
    ],
    "a tick forgets the lobby": [
        ("begin", "lobby", 1, 300_000, ["1", "2"]),
        ("end_the_lobby", True),
    ],
    "the cap forgets those called": [
        ("begin", "paused", 3, 300_000, ["1", "2", "3", "4", "5", "6"]),
        ("move", "open", True),
        ("go_on_for_some_time", 3, False),
    ],
    "an outage costs passes": [
        ("begin", "paused", 3, 300_000, ["1", "2"]),
        ("move", "open", True),
        ("go_on_for_some_time", 2, True),
        ("outage", 400_000),
    ],
    "who walks in passes those who wait": [
        ("begin", "paused", 1, 300_000, []),
        ("come_while_others_are_about_to_be_called", ["1"], ["2"]),
    ],
    "the absent are called": [
        ("begin", "paused", 1, 10_000, []),
        ("a_crowd_that_falls_silent_is_called", ["1", "2"], 1),
    ],
    "the end is that of all lanes": [
        ("begin", "open", 1, 300_000, []),
        ("move", "paused", True),
        ("crowd", ["3", "6", "1", "4"]),
        ("demote", "1"),
    ],
    "a party loses the place of its leader": [
        ("begin", "paused", 3, 300_000, ["1", "4"]),
        ("join_party", "1", ["2", "3"]),
        ("leave", "1", "left"),
    ],
    "a party takes one place inside": [
        ("begin", "paused", 3, 300_000, ["1", "4"]),
        ("join_party", "1", ["2", "3"]),
        ("move", "open", True),
        ("go_on_for_some_time", 3, False),
    ],
    "a minute goes on with its latecomers": [
        ("begin", "open", 1, 300_000, []),
        ("set_mode", "minute_draw"),
        ("crowd", ["1", "2"]),
        ("wait", 61_000),
        ("crowd", ["3"]),
    ],
    "those of a minute are overtaken": [
        ("begin", "paused", 1, 300_000, []),
        ("set_mode", "minute_draw"),
        ("crowd", ["1", "2"]),
        ("wait_and_tick", 61_000),
        ("set_mode", "first_come"),
        ("crowd", ["3"]),
        ("move", "open", True),
        ("go_on_for_some_time", 3, False),
    ],
    "everybody waits in spite of the mode": [
        ("begin", "paused", 1, 300_000, ["1", "2"]),
        ("set_mode", "passthrough"),
        ("move", "open", True),
        ("wait", 1_000),
        ("crowd", ["5"]),
    ],
}


def machine_for(mistake: str) -> type[Lines]:
    if mistake in MISTAKES_WITH_PARTIES:
        return PartyLines
    return LanedLines if mistake in MISTAKES_WITH_LANES else Lines


def act_out(mistake: str) -> None:
    lines = machine_for(mistake)()
    for rule_name, *args in STEPS_TO[mistake]:
        getattr(lines, rule_name)(*args)
        lines.both_say_the_same_of_everybody()
        lines.everybody_is_in_one_place_and_the_books_agree()
        lines.the_rate_holds_in_every_window()
    lines.teardown()


def find(mistake: str) -> None:
    if mistake in STEPS_TO and SOAK == 1:
        act_out(mistake)
    else:
        run_state_machine_as_test(machine_for(mistake), settings=without_shrinking)


@pytest.mark.parametrize("mistake", STEPS_TO)
def test_those_steps_are_fine_without_the_mistake(mistake):
    act_out(mistake)


@pytest.mark.soak(scales=True)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_control_a_mistake_in_a_script_is_found(mistake, tmp_path, monkeypatch):
    file, right, wrong = MISTAKES[mistake]
    copytree(scripts.FOLDER, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / file).read_text()
    assert right in text
    (tmp_path / file).write_text(text.replace(right, wrong))
    monkeypatch.setattr(scripts, "FOLDER", tmp_path)
    scripts.script.cache_clear()

    try:
        with pytest.raises((AssertionError, ExceptionGroup)):
            find(mistake)
    finally:
        scripts.script.cache_clear()
