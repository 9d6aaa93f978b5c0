"""Answers the requests of a partition one after the other, in order of arrival."""

import time
from collections.abc import Callable

from redis import Redis

from reservations.lab import keys
from reservations.lab.desk import Desk
from reservations.lab.lock import Lock
from reservations.lab.requests import Request, Requests, State
from reservations.lab.terms import Terms


class Worker:
    """One at a time has a partition; when it dies, the next goes on where it stopped."""

    def __init__(self, terms: Terms, desk: Desk, redis: Redis, partition: int) -> None:
        self.terms, self.desk, self.partition = terms, desk, partition
        self.requests = Requests(redis, terms)
        key = keys.worker(terms, partition)
        self.lock = Lock(redis, key, wait=terms.wait, lease=terms.lease)

    def work(self, finished: Callable[[], bool]) -> None:
        with self.lock:
            for request in self.requests.undone(self.partition):
                self.handle(request)
            while not finished():
                if request_or_none := self.requests.next(self.partition):
                    self.handle(request_or_none)

    def handle(self, request: Request) -> None:
        self.requests.begin(request)
        self.requests.finish(request, self.decide(request))

    def decide(self, request: Request) -> State:
        """Deciding the same request again comes to the same."""
        with self.desk.transaction():
            bought_by = self.desk.request_that_bought(request.seat)
            if bought_by is None:
                time.sleep(self.terms.think)
                self.desk.sell(request.seat, request.buyer, request.id)
                self.lock.require()
        return State.SUCCESS if bought_by in (None, request.id) else State.FAILED
