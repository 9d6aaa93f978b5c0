"""People who are not called until they verify, in Redis."""

from threading import Barrier, Event

import pytest

from tests.race import together
from tests.waiting_queue.line import Line
from ticketing.core import redis
from waiting_queue import keys, store

MANY = [str(number) for number in range(1, 1_201)]  # more than are read at once


@pytest.fixture
def line() -> Line:
    line = Line().begin(state="paused", rate=0, cap=5)
    line.join("1", "2", "3", "4")
    return line


def keep_waiting(*people: str) -> None:
    assert store.run(store.set_unverified(7, people)) == len(people)


def test_others_are_called_and_they_keep_their_places(line):
    keep_waiting("1", "3")

    assert line.tick(state="open").called == ["2", "4"]
    assert line.places() == {"1": 1, "3": 3}
    assert line.peek("3").ahead == 1

    keep_waiting("3")
    assert line.tick().called == ["1"]


def test_however_many_are_in_front_others_are_called():
    line = Line().begin(state="paused", rate=0, cap=2)
    line.join(*MANY, "late", "later", "last")
    keep_waiting(*MANY)

    assert line.tick(state="open").called == ["late", "later"]


def test_without_a_line_nothing_is_written():
    assert store.run(store.set_unverified(7, ["1"])) == 0
    assert store.unverified(7) == set()


def test_while_the_list_is_written_again_nobody_on_it_is_called(line):
    """Writing it is one step: no tick sees it empty."""
    people, is_over = ["1", "2", "3", "4"], Event()
    keep_waiting(*people)
    line.tick(state="open")

    def work(number: int) -> list[str]:
        if number:
            found = [person for _ in range(200) for person in line.tick().called]
            is_over.set()
            return found
        while not is_over.is_set():
            keep_waiting(*people)
        return []

    assert together(2, work) == [[], []]


def test_written_in_two_steps_they_would_be_called(line):
    """The control."""
    people, key = ["1", "2", "3", "4"], keys.key(7, "unverified")
    keep_waiting(*people)
    line.tick(state="open")
    is_empty, was_ticked = Barrier(2), Barrier(2)

    def work(number: int) -> list[str]:
        if number:
            is_empty.wait(60)
            called = line.tick().called
            was_ticked.wait(60)
            return called
        redis.queue_client().delete(key)
        is_empty.wait(60)
        was_ticked.wait(60)
        redis.queue_client().sadd(key, *people)
        return []

    assert together(2, work) == [[], people]
