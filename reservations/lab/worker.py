"""The worker of a partition: answers requests in order of arrival."""

import time
from collections.abc import Callable

from redis import Redis

from reservations.lab import keys
from reservations.lab.config import RaceConfig
from reservations.lab.database import SeatDatabase
from reservations.lab.redis_lock import RedisLock
from reservations.lab.request_queue import Request, RequestQueue, State


class Worker:
    """One worker has a partition at a time; its successor goes on where it stopped."""

    def __init__(
        self, config: RaceConfig, database: SeatDatabase, redis: Redis, partition: int
    ) -> None:
        self.config, self.database, self.partition = config, database, partition
        self.requests = RequestQueue(redis, config)
        key = keys.worker(config, partition)
        self.lock = RedisLock(redis, key, wait=config.wait, lease=config.lease)

    def work(self, finished: Callable[[], bool]) -> None:
        with self.lock:
            for request in self.requests.unfinished(self.partition):
                self.handle(request)
            while not finished():
                if new := self.requests.next(self.partition):
                    self.handle(new)

    def handle(self, request: Request) -> None:
        self.requests.begin(request)
        self.requests.finish(request, self.decide(request))

    def decide(self, request: Request) -> State:
        """Sell the seat or refuse; deciding a request again gives the same result."""
        with self.database.transaction():
            bought_by = self.database.request_that_bought(request.seat)
            if bought_by is None:
                time.sleep(self.config.think)
                self.database.sell(request.seat, request.buyer, request.id)
                self.lock.require_held()
        return State.SUCCESS if bought_by in (None, request.id) else State.FAILED
