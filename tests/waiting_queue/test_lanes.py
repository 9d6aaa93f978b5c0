"""Lanes share the admissions by weight, exactly, and everybody's rank is that in their lane."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.race import together
from tests.waiting_queue.line import START, Line
from ticketing.core import redis
from waiting_queue import store
from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.store import LaneRule, scripts

FANS, VIPS = LaneRule(0, 1), LaneRule(1, 3)


def people_of(lane: int, count: int) -> list[str]:
    return [f"{lane}0{number}" for number in range(1, count + 1)]


def line_with(*lanes: LaneRule, waiting: int, **rules: Any) -> Line:
    """So many people wait in each lane."""
    line = Line().begin(state="paused", lanes=lanes, **rules)
    for lane in lanes:
        line.join(*people_of(lane.id, waiting), lane=lane.id)
    return line


def by_lane(called: list[str]) -> Counter[str]:
    return Counter(person[0] for person in called)


def calls(line: Line, steps: list[float]) -> list[str]:
    called: list[str] = []
    for step in steps:
        called += line.wait(step).tick(state="open").called
    return called


@pytest.mark.parametrize(
    ("rate", "steps"),
    [
        (4, [1] * 10),
        (0.5, [1] * 80),
        (0.7, [1.3, 0.2, 7, 0, 0, 2.5] * 5),
        (40, [1, 0, 0]),
    ],
    ids=["steady", "less than one a second", "late, doubled and missed ticks", "all at once"],
)
def test_calls_follow_the_weights_at_every_moment(rate, steps):
    line = line_with(FANS, VIPS, waiting=100, rate=rate, cap=1_000)

    called = calls(line, steps)

    assert len(called) > 30
    for count in range(1, len(called) + 1):
        got = by_lane(called[:count])
        assert abs(got["0"] / FANS.weight - got["1"] / VIPS.weight) <= 1


def test_people_of_a_lane_are_called_in_order():
    line = line_with(FANS, VIPS, waiting=20, rate=4, cap=1_000)

    called = calls(line, [1] * 10)

    for lane in "01":
        mine = [int(person[2:]) for person in called if person[0] == lane]
        assert mine == sorted(mine)


def test_the_share_of_an_empty_lane_goes_to_the_others():
    line = Line().begin(state="paused", lanes=(FANS, VIPS), rate=4, cap=1_000)
    line.join(*people_of(0, 30))

    assert len(calls(line, [1] * 5)) == 20


def test_a_lane_gets_no_credit_for_the_time_in_which_nobody_waited():
    line = Line().begin(state="paused", lanes=(FANS, VIPS), rate=4, cap=1_000)
    line.join(*people_of(0, 60))
    calls(line, [1] * 5)
    line.join(*people_of(1, 60), lane=1)

    got = by_lane(calls(line, [1] * 5))
    assert abs(got["0"] - got["1"] / 3) < 1.34  # one call of each


def test_a_change_of_weight_counts_from_the_next_tick():
    line = line_with(FANS, VIPS, waiting=60, rate=4, cap=1_000)
    calls(line, [1] * 4)
    line.rules = replace(line.rules, lanes=(FANS, replace(VIPS, weight=1)))

    assert by_lane(calls(line, [1] * 4)) == {"0": 8, "1": 8}


def test_two_ticks_at_a_time_keep_to_the_weights():
    """Eight workers tick the same second, as after a restart of the scheduler."""
    line = line_with(FANS, VIPS, waiting=100, rate=4, cap=1_000)
    called: list[str] = []
    rules = replace(line.rules, state="open")
    for _ in range(10):
        line.wait(1)
        ticks = together(8, lambda _: store.run(store.tick(line.event_id, rules, line.now)))
        called += [person for tick in ticks for person in tick.called]

    assert by_lane(called) == {"0": 10, "1": 30}


def test_control_without_the_rule_one_lane_is_served_first():
    wrong = "1 / lane.weight", "0"
    tick = scripts.script("tick").text
    assert wrong[0] in tick
    line = line_with(FANS, VIPS, waiting=100, rate=4, cap=1_000)
    called: list[str] = []
    for _ in range(10):
        call = store.tick(line.event_id, replace(line.rules, state="open"), line.wait(1).now)
        answer = redis.queue_client().eval(tick.replace(*wrong), *call.arguments)
        called += call.parse(answer).called

    assert by_lane(called) == {"0": 40}


def test_ranks_and_numbers_are_those_of_the_lane():
    line = line_with(FANS, VIPS, waiting=5, rate=4)

    third = line.peek("103")

    assert (third.lane, third.number_in_lane, third.ahead, third.waiting) == (1, 3, 2, 5)
    assert third.number == LANE_NUMBERS + 3


def test_a_rank_never_grows_whatever_other_lanes_do():
    line = line_with(FANS, VIPS, waiting=20, rate=4, cap=1_000)
    ranks = []
    for number in range(8):
        line.join(f"10{30 + number}", lane=1)
        calls(line, [1])
        ranks.append(line.peek("0020").ahead)

    assert ranks == sorted(ranks, reverse=True)


def test_the_estimate_knows_the_share():
    line = line_with(FANS, VIPS, waiting=20, rate=4, cap=1_000)
    calls(line, [1])

    assert line.peek("0020").share == 0.25
    assert line.peek("1020").share == 0.75


def test_a_lane_that_has_not_opened_refuses_and_says_when():
    opens = store.ms(START) + 10_000
    line = Line().begin(lanes=(replace(FANS, opens_ms=opens), VIPS))

    refused = line.join("1")
    assert (refused.outcome, int(refused.reason)) == ("lane_not_open", opens)
    assert line.join("2", lane=1).outcome == "joined"
    assert line.wait(10).join("1").outcome == "joined"


@pytest.mark.parametrize("lanes", [(), (FANS, VIPS)])
def test_a_lane_that_the_line_does_not_know_yet_refuses(lanes):
    refused = Line().begin(lanes=lanes).join("1", lane=2)

    assert (refused.outcome, int(refused.reason)) == ("lane_not_open", 0)


def test_a_lobby_is_drawn_into_its_lanes():
    line = Line().begin(state="lobby", lanes=(FANS, VIPS))
    line.join("1", "2")
    line.join("3", "4", lane=1)
    first = store.run(
        store.configure(line.event_id, replace(line.rules, state="open", drawing=True), line.now)
    )

    line.draw(["4", "1", "3", "2"], first)

    found = {person: line.peek(person) for person in "1234"}
    places = {person: (found[person].lane, found[person].ahead) for person in "1234"}
    assert places == {"1": (0, 0), "2": (0, 1), "4": (1, 0), "3": (1, 1)}
    line.join("5", lane=1)
    assert line.peek("5").ahead == 2


def test_an_event_without_lanes_has_no_key_for_them():
    line = Line().begin(rate=4)
    line.join("1", "2", "3")
    line.wait(1).tick()

    assert not redis.queue_client().exists("queue:{7}:lanes")
    assert line.peek("1").share == 0
