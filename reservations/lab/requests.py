"""Requests that are answered later, in order of arrival: a stream for each part of the seats."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import uuid4

from redis import Redis
from redis.exceptions import ResponseError

from reservations.lab import keys
from reservations.lab.terms import Terms

GROUP = "workers"
# Whoever works on a partition goes by one name, and so inherits what a dead one left undone.
CONSUMER = "worker"
BLOCK_MS = 100


class State(StrEnum):
    PENDING = "PENDING"
    PROCESSING = "PROCESSING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"


@dataclass(frozen=True)
class Request:
    id: str
    seat: int
    buyer: int
    entry: str = ""


class Requests:
    def __init__(self, redis: Redis, terms: Terms) -> None:
        self.redis, self.terms = redis, terms

    def post(self, *, seat: int, buyer: int) -> Request:
        """All of one seat go to one partition."""
        request = Request(uuid4().hex, seat, buyer)
        stream = keys.requests(self.terms, self.partition_of(seat))
        with self.redis.pipeline() as pipe:
            self._note(pipe, request, State.PENDING)
            pipe.xadd(stream, {"id": request.id, "seat": seat, "buyer": buyer})
            pipe.expire(stream, keys.KEPT_SECONDS)
            pipe.execute()
        return request

    def partition_of(self, seat: int) -> int:
        return seat % self.terms.workers

    def begin(self, request: Request) -> None:
        with self.redis.pipeline() as pipe:
            self._note(pipe, request, State.PROCESSING)
            pipe.execute()

    def finish(self, request: Request, state: State) -> None:
        """Told, pushed and crossed off at once; before this, a successor would do it again."""
        answer = keys.answer(self.terms, request.id)
        stream = keys.requests(self.terms, self.partition_of(request.seat))
        with self.redis.pipeline() as pipe:
            self._note(pipe, request, state)
            pipe.rpush(answer, state)
            pipe.expire(answer, keys.KEPT_SECONDS)
            pipe.xack(stream, GROUP, request.entry)
            pipe.execute()

    def states(self, request_id: str) -> list[State]:
        """For those who poll: the last one is the present one."""
        found: Any = self.redis.lrange(keys.states(self.terms, request_id), 0, -1)
        return [State(state) for state in found]

    def answer(self, request: Request) -> State | None:
        """For those who wait for the push."""
        pushed: Any = self.redis.blpop([keys.answer(self.terms, request.id)], self.terms.wait)
        return State(pushed[1]) if pushed else None

    def open(self, partition: int) -> None:
        stream = keys.requests(self.terms, partition)
        try:
            self.redis.xgroup_create(stream, GROUP, id="0", mkstream=True)
        except ResponseError as refusal:
            if "BUSYGROUP" not in str(refusal):
                raise
        self.redis.expire(stream, keys.KEPT_SECONDS)

    def undone(self, partition: int) -> Iterator[Request]:
        """What a predecessor took and never finished."""
        while found := self._read(partition, "0"):
            yield found

    def next(self, partition: int) -> Request | None:
        """The next in order of arrival; None when none came for a moment."""
        return self._read(partition, ">")

    def _read(self, partition: int, after: str) -> Request | None:
        streams: Any = {keys.requests(self.terms, partition): after}
        answer: Any = self.redis.xreadgroup(GROUP, CONSUMER, streams, count=1, block=BLOCK_MS)
        entries = [entry for _stream, found in answer or [] for entry in found]
        if not entries:
            return None
        name, it = entries[0]
        return Request(it["id"], int(it["seat"]), int(it["buyer"]), name)

    def _note(self, pipe: Any, request: Request, state: State) -> None:
        key = keys.states(self.terms, request.id)
        pipe.rpush(key, state)
        pipe.expire(key, keys.KEPT_SECONDS)
