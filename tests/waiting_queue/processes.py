"""Work for processes of their own; imported by them, so it must not need Django's models."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from tests.waiting_queue.line import RULES, START, Line
from waiting_queue import store

EACH = 2_000


def in_processes(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Each with an interpreter and connections of its own; the environment says which servers."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, fresh) as processes:
        return list(processes.map(work, range(count)))


def join_many(process: int) -> list[int]:
    people = [str(process * EACH + number) for number in range(EACH)]
    answers = store.run_each([store.join(7, person, START) for person in people])
    return [answer.standing.number for answer in answers]


def tick_for_a_minute(_: int) -> list[str]:
    line, called = Line(rules=RULES), []
    for _second in range(60):
        called += line.wait(1).tick().called
    return called
