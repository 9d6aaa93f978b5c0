"""What each process of a race does, from its own connections to its report."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier, Event, Semaphore
from typing import Any

from redis import Redis

from reservations.lab import stopwatch, store
from reservations.lab.buyer import Buyer
from reservations.lab.desk import Desk
from reservations.lab.requests import Requests
from reservations.lab.results import Attempt, Ledger, Outcome
from reservations.lab.strategies import STRATEGIES
from reservations.lab.terms import Terms
from reservations.lab.worker import Worker

READY = "ready"
# Long enough for the slowest machine: only a race that is broken waits for so long.
GUN_SECONDS = 120
BETWEEN_VISITS = 0.002


@dataclass(frozen=True)
class Order:
    strategy: str
    terms: Terms


@dataclass(frozen=True)
class Tools:
    """What processes can only be given when they are started."""

    gun: Barrier
    everybody: Barrier
    pool: Semaphore
    finish: Event


Role = Callable[[int, Order, Tools, Callable[[], None]], Any]


class Failure(Exception):
    """Something went wrong before the gun."""


def live(role: Role, number: int, post: Connection, tools: Tools) -> None:
    """Carry out one order after the other, until there are none or whoever gives them is gone."""
    try:
        while order := post.recv():
            post.send(_carried_out(role, number, order, tools, lambda: post.send(READY)))
    except (EOFError, BrokenPipeError):
        pass


def _carried_out(
    role: Role, number: int, order: Order, tools: Tools, ready: Callable[[], None]
) -> Any:
    try:
        return role(number, order, tools, ready)
    except Exception as trouble:
        return Failure(described(trouble))


def buy_once(number: int, order: Order, tools: Tools, ready: Callable[[], None]) -> Attempt:
    with _connected(order.terms, tools) as (desk, redis):
        redis.ping()
        buyer = Buyer(number, order.terms, desk, redis, tools.everybody)
        ready()
        tools.gun.wait(GUN_SECONDS)
        began = stopwatch.now()
        outcome, trouble = _tried(order.strategy, buyer)
        ended = stopwatch.now()
        ledger = desk.ledger
    return Attempt(number, buyer.seat, outcome, began, ended, ledger, buyer.accepted, trouble)


def _tried(strategy: str, buyer: Buyer) -> tuple[Outcome, str]:
    try:
        return STRATEGIES[strategy].buy(buyer, buyer.seat), ""
    except Exception as trouble:
        return Outcome.BROKEN, described(trouble)


def visit_other_pages(
    number: int, order: Order, tools: Tools, ready: Callable[[], None]
) -> list[float]:
    """How long each page took, the wait for a connection included."""
    visits: list[float] = []
    with _connected(order.terms, tools) as (desk, _redis):
        ready()
        tools.gun.wait(GUN_SECONDS)
        while not visits or not tools.finish.is_set():
            began = stopwatch.now()
            desk.show_another_page()
            visits.append(stopwatch.now() - began)
            time.sleep(BETWEEN_VISITS)
    return visits


def serve_a_partition(number: int, order: Order, tools: Tools, ready: Callable[[], None]) -> Ledger:
    with _connected(order.terms, tools) as (desk, redis):
        Requests(redis, order.terms).open(number)
        ready()
        Worker(order.terms, desk, redis, number).work(tools.finish.is_set)
        return desk.ledger


@contextmanager
def _connected(terms: Terms, tools: Tools) -> Iterator[tuple[Desk, Redis]]:
    desk, redis = Desk(terms, tools.pool), store.connect(terms)
    try:
        yield desk, redis
    finally:
        desk.close()
        redis.close()


def described(trouble: Exception) -> str:
    return f"{type(trouble).__name__}: {trouble}".strip()
