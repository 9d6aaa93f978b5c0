"""Demotion and the bypass list, in Redis."""

from threading import Barrier

import pytest

from tests.race import together
from tests.waiting_queue.line import Line
from ticketing.core import redis
from waiting_queue import keys, store
from waiting_queue.tokens import QueueToken


@pytest.fixture
def line() -> Line:
    line = Line().begin(state="paused", rate=0)
    line.join("1", "2", "3", "4")
    return line


# -- demotion -------------------------------------------------------------------------------------


def test_a_group_goes_to_the_end_with_new_numbers_and_reads_why(line):
    assert line.demote("1", "3", "9") == ["1", "3"]

    assert line.places() == {"2": 2, "4": 4, "1": 5, "3": 6}
    moved = line.peek("1")
    assert (moved.state, moved.ahead, moved.demoted_why) == ("waiting", 2, "many accounts")
    assert line.peek("2").demoted_why == ""


def test_a_repeat_of_the_batch_moves_nobody_and_another_batch_does(line):
    line.demote("1")

    assert line.demote("1") == []
    assert line.places()["1"] == 5
    assert line.demote("1", batch="2") == ["1"]
    assert line.places()["1"] == 6


def test_whoever_was_called_goes_to_the_end_and_their_permit_to_the_next(line):
    line.tick(state="open", rate=1)
    line.wait(1)
    assert line.tick().called == ["1"]

    assert line.demote("1") == ["1"]

    assert line.tick().called == ["2"]
    assert (line.state("1"), line.sizes()) == ("waiting", (3, 1, 0))


def test_nobody_inside_or_outside_is_moved(line):
    line.tick(state="open", cap=1)
    line.claim("1")

    assert line.demote("1", "stranger") == []

    assert (line.state("1"), line.state("stranger")) == ("admitted", "none")


def test_the_old_token_still_polls_and_gets_the_new_number(line):
    held = QueueToken(7, "1", 1, "e1")
    line.demote("1")

    assert store.run(store.poll(7, "1", line.now, token=held)).number == 5
    assert store.run(store.leave(7, "1", line.now, token=held)) == "revoked"


def test_undoing_it_gives_the_first_number_back(line):
    line.demote("2")
    line.demote("2", batch="2")

    assert line.undo_demotion("2")
    assert not line.undo_demotion("2")

    assert list(line.places()) == ["1", "2", "3", "4"]
    assert line.peek("2").demoted_why == ""


def test_whoever_left_and_came_back_gets_no_old_number(line):
    line.demote("2")
    line.leave("2")
    line.join("2")

    assert line.peek("2").demoted_why == ""
    assert not line.undo_demotion("2")
    assert line.places()["2"] == 6


def test_every_server_hears_of_the_number_that_is_gone(line):
    store.run(store.tick_message(7))
    line.demote("1")

    message = store.run(store.tick_message(7))

    assert message.changes == [("1", 1)]
    assert (message.head, message.last) == (2, 5)


def test_demotions_at_the_same_moment_give_distinct_numbers(line):
    people = [str(number) for number in range(10, 90)]
    line.join(*people)

    together(8, lambda n: line.demote(*people[n * 10 : n * 10 + 10]))
    together(8, lambda n: line.demote(*people[n * 10 : n * 10 + 10]))

    numbers = line.places()
    assert len(set(numbers.values())) == len(numbers) == 84
    assert {numbers[person] for person in people} == set(range(85, 165))


def test_control_reading_before_writing_gives_two_the_same_number(line):
    client, everybody_has_read = redis.queue_client(), Barrier(4)

    def demote_in_two_steps(number: int) -> int:
        last = int(client.get(keys.key(7, "counter")))
        everybody_has_read.wait(60)
        client.zadd(keys.key(7, "line"), {str(number + 1): last + 1})
        return last + 1

    assert len(set(together(4, demote_in_two_steps))) == 1


# -- the bypass list ------------------------------------------------------------------------------


def test_whoever_is_on_the_list_enters_at_once_and_takes_no_permit(line):
    line.tick(state="open", rate=1, cap=2)
    store.run(store.set_bypass(7, ["8", "9"]))

    assert [line.join(person).standing.state for person in ("8", "7", "9")] == [
        *("admitted", "waiting", "admitted"),
    ]

    line.wait(1)
    assert line.tick(cap=4).called == ["1"]
    assert store.run(store.snapshot(7))["bypassed"] == "2"


def test_the_list_is_for_a_full_line_too(line):
    line.tick(state="open", capacity=3, cap=1)
    store.run(store.set_bypass(7, ["9"]))

    assert line.join("8").outcome == "full"
    assert line.join("9").standing.state == "admitted"


def test_whoever_waits_is_called_with_the_next_tick(line):
    line.tick(state="open", cap=1)
    store.run(store.set_bypass(7, ["3"]))

    assert line.tick().called == ["3"]
    assert list(line.places()) == ["2", "4"]
    assert line.claim("3").outcome == "claimed"


@pytest.mark.parametrize("rules", [{"state": "paused"}, {"state": "open", "cap": 0}])
def test_while_nobody_may_enter_they_wait_too(line, rules):
    line.tick(**rules)
    store.run(store.set_bypass(7, ["3", "9"]))

    assert line.join("9").standing.state == "waiting"
    assert line.tick().called == []


def test_whoever_is_off_the_list_waits_again(line):
    line.tick(state="open", cap=1)
    store.run(store.set_bypass(7, ["9"]))
    store.run(store.set_bypass(7, []))

    assert line.join("9").standing.state == "waiting"


def test_a_blocked_person_is_not_let_in(line):
    line.tick(state="open", cap=1)
    store.run(store.set_bypass(7, ["9"]))
    line.leave("9", "blocked", "why")

    assert line.join("9").outcome == "blocked"


def test_without_a_line_nothing_is_written():
    assert store.run(store.set_bypass(7, ["9"])) == 0
    assert redis.queue_client().exists(keys.key(7, "meta"), keys.key(7, "bypass")) == 0
