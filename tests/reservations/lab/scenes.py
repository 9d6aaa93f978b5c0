"""Races for tests: scratch tables, and buyers that need no process of their own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from django.conf import settings

from reservations.lab import store
from reservations.lab.buyer import Buyer
from reservations.lab.desk import Desk
from reservations.lab.results import Outcome
from reservations.lab.strategies import STRATEGIES
from reservations.lab.terms import Terms
from reservations.management.commands.race import database_address

SPAWN = get_context("spawn")


def make_terms(**changes: Any) -> Terms:
    known = {"database": database_address(), "redis_url": settings.REDIS_URL, "think": 0.01}
    return Terms(**known | changes)


def make_desk(terms: Terms) -> Desk:
    return Desk(terms, SPAWN.Semaphore(terms.pool))


@dataclass
class Thinker(Buyer):
    """A buyer of whom is known what happens between looking and writing."""

    meanwhile: Callable[[], object] = lambda: None

    def think(self) -> None:
        self.meanwhile()


@contextmanager
def buyer(terms: Terms, number: int = 0, **options: Any) -> Iterator[Thinker]:
    desk, redis = make_desk(terms), store.connect(terms)
    try:
        yield Thinker(number, terms, desk, redis, SPAWN.Barrier(1), **options)
    finally:
        desk.close()
        redis.close()


def buy(strategy: str, terms: Terms, number: int = 0, **options: Any) -> Outcome:
    with buyer(terms, number, **options) as somebody:
        return STRATEGIES[strategy].buy(somebody, somebody.seat)
