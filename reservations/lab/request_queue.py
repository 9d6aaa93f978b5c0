"""Requests answered later, in order of arrival: one stream per partition of the seats."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import uuid4

from redis import Redis
from redis.exceptions import ResponseError

from reservations.lab import keys
from reservations.lab.config import RaceConfig

GROUP = "workers"
# Every worker of a partition uses this name, so it inherits what a dead one left unfinished.
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


class RequestQueue:
    def __init__(self, redis: Redis, config: RaceConfig) -> None:
        self.redis, self.config = redis, config

    def post(self, *, seat: int, buyer: int) -> Request:
        """Add a request; all requests of one seat go to one partition."""
        request = Request(uuid4().hex, seat, buyer)
        stream = keys.requests(self.config, self.partition_of(seat))
        with self.redis.pipeline() as pipe:
            self._push_state(pipe, request, State.PENDING)
            pipe.xadd(stream, {"id": request.id, "seat": seat, "buyer": buyer})
            pipe.expire(stream, keys.TTL_SECONDS)
            pipe.execute()
        return request

    def partition_of(self, seat: int) -> int:
        return seat % self.config.workers

    def begin(self, request: Request) -> None:
        with self.redis.pipeline() as pipe:
            self._push_state(pipe, request, State.PROCESSING)
            pipe.execute()

    def finish(self, request: Request, state: State) -> None:
        """Store, push and acknowledge at once; until then a successor would process it again."""
        answer = keys.answer(self.config, request.id)
        stream = keys.requests(self.config, self.partition_of(request.seat))
        with self.redis.pipeline() as pipe:
            self._push_state(pipe, request, state)
            pipe.rpush(answer, state)
            pipe.expire(answer, keys.TTL_SECONDS)
            pipe.xack(stream, GROUP, request.entry)
            pipe.execute()

    def states(self, request_id: str) -> list[State]:
        """For polling: the last state is current."""
        found: Any = self.redis.lrange(keys.states(self.config, request_id), 0, -1)
        return [State(state) for state in found]

    def answer(self, request: Request) -> State | None:
        """Wait for the pushed answer."""
        pushed: Any = self.redis.blpop([keys.answer(self.config, request.id)], self.config.wait)
        return State(pushed[1]) if pushed else None

    def open(self, partition: int) -> None:
        """Create the consumer group of a partition."""
        stream = keys.requests(self.config, partition)
        try:
            self.redis.xgroup_create(stream, GROUP, id="0", mkstream=True)
        except ResponseError as refusal:
            if "BUSYGROUP" not in str(refusal):
                raise
        self.redis.expire(stream, keys.TTL_SECONDS)

    def unfinished(self, partition: int) -> Iterator[Request]:
        """Requests that a dead worker took and did not finish."""
        while found := self._read(partition, "0"):
            yield found

    def next(self, partition: int) -> Request | None:
        """The next request; None if none arrived in time."""
        return self._read(partition, ">")

    def _read(self, partition: int, after: str) -> Request | None:
        streams: Any = {keys.requests(self.config, partition): after}
        answer: Any = self.redis.xreadgroup(GROUP, CONSUMER, streams, count=1, block=BLOCK_MS)
        entries = [entry for _stream, found in answer or [] for entry in found]
        if not entries:
            return None
        name, it = entries[0]
        return Request(it["id"], int(it["seat"]), int(it["buyer"]), name)

    def _push_state(self, pipe: Any, request: Request, state: State) -> None:
        key = keys.states(self.config, request.id)
        pipe.rpush(key, state)
        pipe.expire(key, keys.TTL_SECONDS)
