"""Races for tests: scratch tables, and buyers that need no process of their own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from django.conf import settings

from reservations.lab import store
from reservations.lab.buyer import Buyer
from reservations.lab.config import RaceConfig
from reservations.lab.database import SeatDatabase
from reservations.lab.results import Outcome
from reservations.lab.strategies import STRATEGIES
from reservations.management.commands.race import database_address

SPAWN = get_context("spawn")


def make_config(**changes: Any) -> RaceConfig:
    known = {"database": database_address(), "redis_url": settings.REDIS_URL, "think": 0.01}
    return RaceConfig(**known | changes)


def make_database(config: RaceConfig) -> SeatDatabase:
    return SeatDatabase(config, SPAWN.Semaphore(config.pool))


@dataclass
class Thinker(Buyer):
    """A buyer of whom is known what happens between looking and writing."""

    meanwhile: Callable[[], object] = lambda: None

    def think(self) -> None:
        self.meanwhile()


@contextmanager
def buyer(config: RaceConfig, number: int = 0, **options: Any) -> Iterator[Thinker]:
    database, redis = make_database(config), store.connect(config)
    try:
        yield Thinker(number, config, database, redis, SPAWN.Barrier(1), **options)
    finally:
        database.close()
        redis.close()


def buy(strategy: str, config: RaceConfig, number: int = 0, **options: Any) -> Outcome:
    with buyer(config, number, **options) as somebody:
        return STRATEGIES[strategy].buy(somebody, somebody.seat)
