"""Somebody who wants a seat, with a desk and a Redis of their own."""

import time
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier

from redis import Redis

from reservations.lab import stopwatch
from reservations.lab.desk import Desk
from reservations.lab.terms import Terms

# With so much beyond the longest wait, whoever has not come to a meeting is not coming.
MEETING_SLACK = 20


@dataclass
class Buyer:
    number: int
    terms: Terms
    desk: Desk
    redis: Redis
    everybody: Barrier
    accepted: float | None = None

    @property
    def seat(self) -> int:
        return self.number % self.terms.seats + 1

    def think(self) -> None:
        """The time in which others may come between looking and writing."""
        if self.terms.together:
            self.everybody.wait(self.terms.wait + MEETING_SLACK)
        else:
            time.sleep(self.terms.think)

    def is_told_to_wait(self) -> None:
        """202: the answer comes later."""
        self.accepted = stopwatch.now()
