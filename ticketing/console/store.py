"""The console's data in Redis: the samples of the last half hour, and process heartbeats."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from redis.exceptions import ResponseError

from ticketing.console import keys
from ticketing.core import clock, redis

MAX_SAMPLES = 1_800
SAMPLES_TTL_SECONDS = 86_400
# Without a heartbeat for this long a process is shown as silent, and later it is removed.
SILENT_SECONDS = 15
REMOVED_SECONDS = 600
Figures = dict[str, Any]


@dataclass(frozen=True)
class Process:
    """A process that sent heartbeats; `age` is the seconds since its last one."""

    kind: str
    host: str
    pid: int
    age: float

    @property
    def is_silent(self) -> bool:
        return self.age > SILENT_SECONDS


@dataclass(frozen=True)
class Memory:
    used: int
    limit: int

    @property
    def share(self) -> float:
        return self.used / self.limit if self.limit else 0.0


# -- samples ---------------------------------------------------------------------------------------


def latest_samples(event_ids: Sequence[int], count: int) -> dict[int, list[Figures]]:
    """The last samples of each sale, newest first, in one round trip."""
    pipeline = redis.client().pipeline(transaction=False)
    for event_id in event_ids:
        pipeline.xrevrange(keys.samples(event_id), count=count)
    return {pk: _read(rows) for pk, rows in zip(event_ids, pipeline.execute(), strict=True)}


def samples_since(event_id: int, second: int) -> list[Figures]:
    """Every stored sample after this second, oldest first."""
    return _read(redis.client().xrange(keys.samples(event_id), min=f"{second + 1}-0"))


def add_samples(taken: dict[int, Figures]) -> list[int]:
    """Store the samples; return the events that had none in this second (Redis refuses another)."""
    pipeline = redis.client().pipeline(transaction=False)
    for event_id, figures in taken.items():
        entry: Any = {"f": json.dumps(figures)}
        entry_id = f"{figures['second']}-0"
        key = keys.samples(event_id)
        pipeline.xadd(key, entry, id=entry_id, maxlen=MAX_SAMPLES, approximate=False)
        pipeline.expire(key, SAMPLES_TTL_SECONDS)
    replies = pipeline.execute(raise_on_error=False)[::2]
    added = []
    for event_id, reply in zip(taken, replies, strict=True):
        if isinstance(reply, Exception) and not isinstance(reply, ResponseError):
            raise reply
        if not isinstance(reply, Exception):
            added.append(event_id)
    return added


def publish_samples(taken: dict[int, Figures]) -> None:
    """Send one message per sale to every server process."""
    pipeline = redis.client().pipeline(transaction=False)
    for event_id, figures in taken.items():
        pipeline.publish(keys.sample_channel(redis.database()), f"{event_id} {json.dumps(figures)}")
    pipeline.execute()


def has_console() -> bool:
    """Whether a server process listens to the samples: it has had a console open."""
    channel = keys.sample_channel(redis.database())
    return bool(dict(redis.client().pubsub_numsub(channel)).get(channel))


async def published_samples() -> AsyncIterator[tuple[int, str]]:
    """Yield each published sample as event id and JSON text, until Redis can't be reached."""
    async with redis.listening(keys.sample_channel(redis.database())) as texts:
        async for text in texts:
            event_id, _, figures = text.partition(" ")
            yield int(event_id), figures


def _read(rows: Any) -> list[Figures]:
    return [json.loads(fields["f"]) for _, fields in rows]


# -- processes and the Redis server ----------------------------------------------------------------


def record_heartbeat(process: str, now: datetime, page_ms: float | None = None) -> None:
    """Record a heartbeat with the page latency; remove processes without one for long."""
    moment, pipeline = now.timestamp(), redis.client().pipeline(transaction=False)
    pipeline.zadd(keys.PROCESSES, {process: moment})
    pipeline.zremrangebyscore(keys.PROCESSES, "-inf", moment - REMOVED_SECONDS)
    pipeline.expire(keys.PROCESSES, REMOVED_SECONDS)
    if page_ms is None:
        pipeline.hdel(keys.PAGE_LATENCIES, process)
    else:
        pipeline.hset(keys.PAGE_LATENCIES, process, f"{moment} {page_ms}")
    pipeline.expire(keys.PAGE_LATENCIES, REMOVED_SECONDS)
    pipeline.execute()


def remove_process(process: str) -> None:
    redis.client().zrem(keys.PROCESSES, process)
    redis.client().hdel(keys.PAGE_LATENCIES, process)


def page_ms(now: datetime) -> float | None:
    """95th percentile of the slowest process; None if no process measured lately."""
    known: Any = redis.client().hvals(keys.PAGE_LATENCIES)
    measured = [tuple(map(float, text.split(" "))) for text in known]
    fresh = [took for at, took in measured if abs(now.timestamp() - at) <= SILENT_SECONDS]
    return max(fresh, default=None)


def processes(now: datetime) -> list[Process]:
    found = []
    known: Any = redis.client().zrange(keys.PROCESSES, 0, -1, withscores=True)
    for name, at in known:
        kind, host, pid = name.split(" ")
        found.append(Process(kind, host, int(pid), max(now.timestamp() - at, 0.0)))
    return sorted(found, key=lambda process: (process.kind, process.host, process.pid))


def ping_ms() -> float:
    """How long Redis takes to answer a PING."""
    began = clock.monotonic()
    redis.client().ping()
    return round(1000 * (clock.monotonic() - began), 2)


def memory() -> Memory:
    """Memory used, and its limit: `maxmemory`, or the memory of the machine."""
    info: Any = redis.client().info("memory")
    return Memory(info["used_memory"], info["maxmemory"] or info["total_system_memory"])
