"""Which browser has the pass, in the scripts: one at a time, and the first that comes."""

from threading import Barrier

import pytest

from tests.race import together
from tests.waiting_queue.line import Line
from ticketing.core import redis
from waiting_queue import keys, store

MANY = 16


@pytest.fixture
def line():
    return Line().begin(rate=0)


def call(line, name, **more):
    return store.run(getattr(store, name)(line.event_id, "ann", line.now, **more))


def inside(line, browser="A"):
    call(line, "join", browser=browser)
    return line


def owner(line):
    found = line.peek("ann")
    return found.browser, found.moves


def test_whoever_comes_in_at_once_has_the_pass_in_that_browser(line):
    assert call(line, "join", browser="A").standing.browser == "A"
    assert call(line, "join", browser="B").standing.browser == "A"


def test_whoever_claims_has_the_pass_in_that_browser(line):
    line.begin(cap=0)
    call(line, "join", browser="A")
    line.wait(1).tick(cap=800)

    assert call(line, "claim", browser="B").standing.browser == "B"
    assert call(line, "claim", browser="A").standing.browser == "B"
    assert owner(line) == ("B", 0)


@pytest.mark.parametrize("name", ["poll", "claim", "join"])
def test_a_pass_that_no_browser_has_is_for_the_first_that_comes(line, name):
    inside(line, "")
    assert owner(line) == ("", 0)

    for browser in ("", "A", "B"):
        call(line, name, browser=browser)

    assert owner(line) == ("A", 0)


def test_a_place_in_line_is_bound_to_no_browser(line):
    line.begin(cap=0)
    call(line, "join", browser="A")

    assert call(line, "poll", browser="B").browser == ""


def test_taking_over_moves_the_pass_and_tells_the_other_pages(line):
    inside(line)
    store.run(store.tick_message(line.event_id))

    taken, again = (call(line, "take_over", browser="B") for _ in range(2))

    assert (taken.outcome, again.outcome, owner(line)) == ("taken", "already", ("B", 1))
    assert taken.standing.is_elsewhere("A")
    assert not taken.standing.is_elsewhere("B")
    message = store.run(store.tick_message(line.event_id))
    assert message.changes == [("ann", 1)]


def test_only_somebody_inside_can_take_over(line):
    line.begin(cap=0)

    outcomes = [call(line, "take_over", browser="B").outcome]
    line.join("ann")
    outcomes.append(call(line, "take_over", browser="B").outcome)
    line.wait(1).tick(cap=800)
    outcomes.append(call(line, "take_over", browser="B").outcome)

    assert outcomes == ["not_admitted"] * 3
    redis.queue_client().delete(keys.key(line.event_id, "meta"))
    assert call(line, "take_over", browser="B").outcome == "lost"


def test_a_turn_that_ran_out_can_not_be_taken_over(line):
    inside(line).wait(301)

    assert call(line, "take_over", browser="B").outcome == "not_admitted"
    assert owner(line)[0] == "A"


def test_activity_of_any_kind_keeps_number_time_and_browser(line):
    inside(line)
    before = line.peek("ann")
    line.wait(100)
    line.poll("ann")
    store.run(store.heartbeat(line.event_id, ["ann"], line.now))
    call(line, "take_over", browser="B")

    after = line.peek("ann")

    assert (after.number, after.admitted_ms) == (before.number, before.admitted_ms)
    assert after.deadline_ms == before.deadline_ms + 100_000
    assert store.people_inside(line.event_id) == {"ann": before.admitted_ms}


def test_the_next_stay_knows_nothing_of_the_last(line):
    inside(line)
    call(line, "take_over", browser="B")
    line.leave("ann")

    call(line, "join", browser="C")

    assert owner(line) == ("C", 0)


def test_of_many_who_take_over_at_once_one_has_it_and_each_take_over_counts(line):
    inside(line)

    results = together(MANY, lambda number: call(line, "take_over", browser=f"B{number}"))

    assert [result.outcome for result in results] == ["taken"] * MANY
    assert sorted(result.standing.moves for result in results) == list(range(1, MANY + 1))
    last = max(results, key=lambda result: result.standing.moves)
    assert owner(line) == (last.standing.browser, MANY)


def test_control_reading_before_writing_counts_two_take_overs_as_one(line):
    inside(line)
    everybody_has_read, called = Barrier(MANY), keys.key(line.event_id, "called")

    def take_over_in_two_steps(number):
        client = redis.queue_client()
        place, admitted, leader, moves, _ = client.hget(called, "ann").split(":")
        everybody_has_read.wait(60)
        client.hset(called, "ann", f"{place}:{admitted}:{leader}:{int(moves) + 1}:B{number}")

    together(MANY, take_over_in_two_steps)

    assert owner(line)[1] == 1


def test_of_many_first_comers_one_keeps_it(line):
    inside(line, "")

    results = together(MANY, lambda number: call(line, "poll", browser=f"B{number}"))

    assert {result.browser for result in results} == {owner(line)[0]}
