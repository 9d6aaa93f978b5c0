"""The scripts against the model: whatever people, operators and clocks do, both say the same.

The same examples are tried each time. To search longer, and elsewhere each time:
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

from tests.waiting_queue.line import RULES, START, Line
from tests.waiting_queue.model import PLACES, Model
from ticketing.core import redis
from waiting_queue import keys, store
from waiting_queue.store import scripts

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
    people: int = 0

    def most(self, now: int) -> Fraction:
        return self.rate * max(now - self.since, 0) / 1000 + self.burst


class Lines(RuleBasedStateMachine):
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
        self.line = Line(self.event_id, self.rules, self.now).begin()
        self.model = Model(self.rules, refilled=self.ms, ticked=self.ms)
        self.crowd(crowd)
        self.rules = replace(self.rules, state=state)
        self._begin()

    # -- people -----------------------------------------------------------------------------------

    @rule(person=PEOPLE)
    def join(self, person: str) -> None:
        before = self._taken()
        result = self.line.join(person)
        assert result.outcome == self.model.join(person, self.ms)
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
            assert lobby == sorted(self.model.those("lobby"))
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
        assert set(sets["seen"]) == {*sets["lobby"], *sets["waiting"]}
        assert set(sets["called"]) == {*sets["ready"], *sets["admitted"]}
        self._compare_snapshot({place: len(sets[place]) for place in PLACES})

    @invariant()
    def the_rate_holds_in_every_window(self) -> None:
        if any(window.since > self.model.refilled for window in self.windows):
            self._begin_time_anew()
        for window in self.windows:
            assert window.people <= window.most(self.high)

    def teardown(self) -> None:
        store.erase(self.event_id)

    # -- how it is done ---------------------------------------------------------------------------

    def _begin_time_anew(self) -> None:
        """A clock was put right: what was let in before it says nothing about now."""
        self.windows.clear()
        self.high = self.ms

    def _everybody_goes(self) -> None:
        for person in self.model.those(*PLACES):
            self.leave(person, "left")

    def _begin(self) -> None:
        store.run(store.configure(self.event_id, self.rules, self.now))
        self.model.set_rules(self.rules, self.ms)
        self.line.rules = self.rules

    def _tick(self, rules: Any, *, batch: int = 500, sweep: int = 500) -> None:
        before = self._taken()
        decision = store.tick(self.event_id, rules, self.now, batch=batch, sweep=sweep)
        ticked = store.run(decision)
        assert ticked.called == self.model.tick(rules, self.ms, batch=batch, sweep=sweep)
        assert ticked.ready + ticked.inside <= max(before, self.model.rules.cap)
        self._check_order(ticked.called)
        self._count_let_in(ticked.called)
        self._open_window()

    def _check_order(self, called: list[str]) -> None:
        numbers = [self.model.of(person).number for person in called]
        waiting = [self.model.of(person).number for person in self.model.line()]
        assert numbers == sorted(numbers)
        assert not numbers or not waiting or numbers[-1] < waiting[0]

    def _open_window(self) -> None:
        rate = self.model.rate
        if rate and self.rules.rate:
            rate = max(rate, Fraction(str(self.rules.rate)))
            burst = max(rate, Fraction(1), self.model.tokens)
            self.windows.append(Window(self.model.refilled, burst, rate))

    def _count_let_in(self, people: list[str]) -> None:
        for window in self.windows:
            window.people += len(people)

    def _draw(self, start: int, end: int) -> None:
        part, first = (self.drawn or [])[start:end], self.model.lobby_first + start
        moved = [person for person in part if self.model.of(person).state == "lobby"]
        assert store.run(store.draw(self.event_id, part, first, self.now)) == len(moved)
        self.model.draw(part, first, self.ms)
        for person in moved:
            self._give(self.model.of(person).number, person)

    def _give(self, number: int, person: str) -> None:
        if number:
            assert number not in self.given, "a number was given twice"
            self.given[number] = person

    def _taken(self) -> int:
        return len(self.model.those("ready", "admitted"))

    def _compare(self, person: str, told: store.Standing) -> None:
        state, ours = self.model.state(person, self.ms), self.model.of(person)
        assert told.state == state
        if ours.state in PLACES:
            ahead = self.model.ahead(person) if ours.state == "waiting" else 0
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


QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much]
same_each_time = settings(
    max_examples=60,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=QUIET,
)
without_shrinking = settings(same_each_time, max_examples=600, phases=[Phase.generate])


def test_the_scripts_and_the_model_agree():
    run_state_machine_as_test(Lines, settings=same_each_time)


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
    "who walks in pays nothing": ("join.lua", "    spend(available, 1, now)\n", ""),
    "who walks in passes those who wait": ("join.lua", "redis.call('ZCARD', line) == 0 and ", ""),
    "the called are still seen": ("tick.lua", "  redis.call('ZREM', seen, person)\n", ""),
    "an outage costs passes": ("tick.lua", "  shift(inside, step)\n", ""),
    "the absent are called": ("tick.lua", "> absent_since", "> -2"),
    "a late lobby is believed": ("_line.lua", "state == 'lobby' and", "state == 'none' and"),
    "a tick forgets the lobby": ("_line.lua", "if drawing == '1' then", "if false then"),
}


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
            run_state_machine_as_test(Lines, settings=without_shrinking)
    finally:
        scripts.script.cache_clear()
