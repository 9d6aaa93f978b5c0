"""Processes that are killed in the middle, and what they do until then."""

import os
import signal
import time
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any, NoReturn

from reservations.lab import store
from reservations.lab.buyer import Buyer
from reservations.lab.config import RaceConfig
from reservations.lab.database import SeatDatabase
from reservations.lab.request_queue import Request, State
from reservations.lab.strategies import STRATEGIES
from reservations.lab.worker import Worker

SPAWN = get_context("spawn")
PATIENCE = 60


def killed_in(work: Callable[..., None], *args: Any) -> int | None:
    """How the process ended."""
    process = SPAWN.Process(target=work, args=args, daemon=True)
    process.start()
    process.join(PATIENCE)
    return process.exitcode


def die(*_: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(PATIENCE)
    raise AssertionError("still alive")


class DyingBuyer(Buyer):
    def think(self) -> None:
        die()


class DiesBeforeDeciding(Worker):
    def decide(self, request: Request) -> State:
        die()


class DiesAfterDeciding(Worker):
    def decide(self, request: Request) -> State:
        super().decide(request)
        die()


def buy_and_die(strategy: str, config: RaceConfig) -> None:
    database, redis = SeatDatabase(config, SPAWN.Semaphore(1)), store.connect(config)
    STRATEGIES[strategy].buy(DyingBuyer(0, config, database, redis, SPAWN.Barrier(1)), 1)


def work_and_die(kind: type[Worker], config: RaceConfig) -> None:
    database, redis = SeatDatabase(config, SPAWN.Semaphore(1)), store.connect(config)
    kind(config, database, redis, 0).work(lambda: False)
