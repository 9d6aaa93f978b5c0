"""Ranks computed in a process are those of Redis, lane by lane."""

import json
from dataclasses import replace
from random import Random

import pytest

from tests.waiting_queue.line import Line
from waiting_queue import store
from waiting_queue.live.frames import Frames, standing_frame
from waiting_queue.live.local_ranks import LaneRanks, LocalRanks, ranks_of
from waiting_queue.store import LaneRule

LANES = (LaneRule(0, 1), LaneRule(1, 3), LaneRule(2, 2))
# Fields that depend on the moment, or on whether the page holds its token.
OWN_FIELDS = {"server_time", "turn", "token", "next_poll_ms"}


@pytest.fixture
def line() -> Line:
    line = Line().begin(lanes=LANES, rate=3, cap=1_000, state="paused")
    for person in range(40):
        line.join(str(person), lane=person % 3)
    return line


def message_of(line):
    return replace(store.run(store.tick_message(line.event_id)), at_ms=store.ms(line.now))


def waiting_people(line):
    found = {person: line.peek(str(person)) for person in range(90)}
    return {person: one for person, one in found.items() if one.state == "waiting"}


@pytest.mark.parametrize("seed", range(3))
def test_ranks_follow_the_lanes_as_redis_has_them(line, seed):
    rng = Random(seed)
    ranks = ranks_of(store.line_numbers(line.event_id), message_of(line))
    for step in range(12):
        for person in rng.sample(range(90), 6):
            line.join(str(person), lane=person % 3)
        for person in rng.sample(range(90), 3):
            line.leave(str(person))
        line.wait(1).tick(state="open")
        ranks.follow(message_of(line))
        for person, told in waiting_people(line).items():
            assert ranks.has(told.number), (step, person)
            assert ranks.ahead(told.number) == told.ahead


def test_a_frame_says_what_the_api_says(line):
    line.wait(1).tick(state="open")
    frames = Frames(message_of(line))

    for person, told in waiting_people(line).items():
        pushed = json.loads(frames.waiting(told.number, told.ahead))
        answered = standing_frame(line.event_id, str(person), told, line.now)
        assert {name for name in answered if pushed[name] != answered[name]} <= OWN_FIELDS
        assert pushed["lane"] == person % 3


def test_only_a_line_with_lanes_pays_for_them(line):
    assert isinstance(ranks_of([], message_of(line)), LaneRanks)
    assert isinstance(ranks_of([], replace(message_of(line), lanes=[])), LocalRanks)


def test_a_lane_that_is_added_makes_every_server_read_the_line(line):
    before = message_of(line)

    line.tick(lanes=(*LANES, LaneRule(3, 1)))

    assert not message_of(line).comes_after(before)
