"""A buyer in a race, with its own connections."""

import time
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier

from redis import Redis

from reservations.lab import timer
from reservations.lab.config import RaceConfig
from reservations.lab.database import SeatDatabase

# Seconds beyond the longest wait after which a missing buyer breaks the barrier.
BARRIER_SLACK = 20


@dataclass
class Buyer:
    number: int
    config: RaceConfig
    database: SeatDatabase
    redis: Redis
    all_buyers: Barrier
    accepted: float | None = None

    @property
    def seat(self) -> int:
        return self.number % self.config.seats + 1

    def think(self) -> None:
        """The time between reading and writing, in which others may interfere."""
        if self.config.think_together:
            self.all_buyers.wait(self.config.wait + BARRIER_SLACK)
        else:
            time.sleep(self.config.think)

    def mark_accepted(self) -> None:
        """The server answered 202: the result comes later."""
        self.accepted = timer.now()
