"""What each process of a race runs, from opening connections to its report."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier, Event, Semaphore
from typing import Any

from redis import Redis

from reservations.lab import store, timer
from reservations.lab.buyer import Buyer
from reservations.lab.config import RaceConfig
from reservations.lab.database import SeatDatabase
from reservations.lab.request_queue import RequestQueue
from reservations.lab.results import Attempt, DatabaseCost, Outcome
from reservations.lab.strategies import STRATEGIES
from reservations.lab.worker import Worker

READY = "ready"
# Only a broken race waits that long, even on a slow machine.
START_TIMEOUT = 120
PAUSE_BETWEEN_PAGES = 0.002


@dataclass(frozen=True)
class RaceOrder:
    """The strategy to run next."""

    strategy: str
    config: RaceConfig


@dataclass(frozen=True)
class SharedTools:
    """Synchronisation objects, which a process can only get when it is started."""

    start: Barrier
    all_buyers: Barrier
    pool: Semaphore
    finish: Event


Role = Callable[[int, RaceOrder, SharedTools, Callable[[], None]], Any]


class Failure(Exception):
    """The error of a role, sent back through the pipe."""


def run_role(role: Role, number: int, pipe: Connection, tools: SharedTools) -> None:
    """Main function of a process: run orders until the parent closes the pipe."""

    def ready() -> None:
        pipe.send(READY)

    try:
        while order := pipe.recv():
            try:
                report = role(number, order, tools, ready)
            except Exception as error:
                report = Failure(error_text(error))
            pipe.send(report)
    except (EOFError, BrokenPipeError):
        pass


def buy(number: int, order: RaceOrder, tools: SharedTools, ready: Callable[[], None]) -> Attempt:
    with _connected(order.config, tools) as (database, redis):
        redis.ping()
        buyer = Buyer(number, order.config, database, redis, tools.all_buyers)
        ready()
        tools.start.wait(START_TIMEOUT)
        began = timer.now()
        outcome, error = _attempt(order.strategy, buyer)
        ended = timer.now()
    return Attempt(number, buyer.seat, outcome, began, ended, database.cost, buyer.accepted, error)


def _attempt(strategy: str, buyer: Buyer) -> tuple[Outcome, str]:
    try:
        return STRATEGIES[strategy].buy(buyer, buyer.seat), ""
    except Exception as error:
        return Outcome.BROKEN, error_text(error)


def load_other_pages(
    number: int, order: RaceOrder, tools: SharedTools, ready: Callable[[], None]
) -> list[float]:
    """How long each page took, including the wait for a connection."""
    page_times: list[float] = []
    with _connected(order.config, tools) as (database, _redis):
        ready()
        tools.start.wait(START_TIMEOUT)
        while not page_times or not tools.finish.is_set():
            began = timer.now()
            database.load_other_page()
            page_times.append(timer.now() - began)
            time.sleep(PAUSE_BETWEEN_PAGES)
    return page_times


def work_on_partition(
    number: int, order: RaceOrder, tools: SharedTools, ready: Callable[[], None]
) -> DatabaseCost:
    with _connected(order.config, tools) as (database, redis):
        RequestQueue(redis, order.config).open(number)
        ready()
        Worker(order.config, database, redis, number).work(tools.finish.is_set)
        return database.cost


@contextmanager
def _connected(config: RaceConfig, tools: SharedTools) -> Iterator[tuple[SeatDatabase, Redis]]:
    database, redis = SeatDatabase(config, tools.pool), store.connect(config)
    try:
        yield database, redis
    finally:
        database.close()
        redis.close()


def error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip()
