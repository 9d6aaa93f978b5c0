"""The console's side of Redis: the last half hour of each sale, and which processes live."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from redis.exceptions import ResponseError

from ticketing.console import keys
from ticketing.core import clock, redis

KEPT = 1_800
KEPT_SECONDS = 86_400
# A process that says nothing for so long is dead; after so long nobody asks about it any more.
SILENT_SECONDS = 15
FORGOTTEN_SECONDS = 600
Figures = dict[str, Any]


@dataclass(frozen=True)
class Process:
    """One that said that it lives, and how many seconds ago."""

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


def latest(event_ids: Sequence[int], count: int) -> dict[int, list[Figures]]:
    """The last samples of each sale, newest first, in one round trip."""
    pipeline = redis.client().pipeline(transaction=False)
    for event_id in event_ids:
        pipeline.xrevrange(keys.samples(event_id), count=count)
    return {pk: _read(rows) for pk, rows in zip(event_ids, pipeline.execute(), strict=True)}


def since(event_id: int, second: int) -> list[Figures]:
    """Every sample after this second that is still kept, oldest first."""
    return _read(redis.client().xrange(keys.samples(event_id), min=f"{second + 1}-0"))


def keep(taken: dict[int, Figures]) -> list[int]:
    """Whose sample was kept. A second has one: whoever comes later with another is refused."""
    pipeline = redis.client().pipeline(transaction=False)
    for event_id, figures in taken.items():
        entry: Any = {"f": json.dumps(figures)}
        name = f"{figures['second']}-0"
        pipeline.xadd(keys.samples(event_id), entry, id=name, maxlen=KEPT, approximate=False)
        pipeline.expire(keys.samples(event_id), KEPT_SECONDS)
    answers = pipeline.execute(raise_on_error=False)[::2]
    kept = []
    for event_id, answer in zip(taken, answers, strict=True):
        if isinstance(answer, Exception) and not isinstance(answer, ResponseError):
            raise answer
        if not isinstance(answer, Exception):
            kept.append(event_id)
    return kept


def tell(taken: dict[int, Figures]) -> None:
    """One message per sale to every server process."""
    pipeline = redis.client().pipeline(transaction=False)
    for event_id, figures in taken.items():
        pipeline.publish(keys.told(redis.database()), f"{event_id} {json.dumps(figures)}")
    pipeline.execute()


async def heard() -> AsyncIterator[tuple[int, str]]:
    """Every sample of every sale, as text, for as long as Redis can be reached."""
    async with redis.listening(keys.told(redis.database())) as texts:
        async for text in texts:
            event_id, _, figures = text.partition(" ")
            yield int(event_id), figures


def _read(rows: Any) -> list[Figures]:
    return [json.loads(fields["f"]) for _, fields in rows]


# -- processes and the server itself ---------------------------------------------------------------


def beat(process: str, now: datetime, page_ms: float | None = None) -> None:
    """This process lives, and its pages take so long; those long silent are forgotten."""
    moment, pipeline = now.timestamp(), redis.client().pipeline(transaction=False)
    pipeline.zadd(keys.PROCESSES, {process: moment})
    pipeline.zremrangebyscore(keys.PROCESSES, "-inf", moment - FORGOTTEN_SECONDS)
    pipeline.expire(keys.PROCESSES, FORGOTTEN_SECONDS)
    if page_ms is None:
        pipeline.hdel(keys.PAGES, process)
    else:
        pipeline.hset(keys.PAGES, process, f"{moment} {page_ms}")
    pipeline.expire(keys.PAGES, FORGOTTEN_SECONDS)
    pipeline.execute()


def forget(process: str) -> None:
    redis.client().zrem(keys.PROCESSES, process)
    redis.client().hdel(keys.PAGES, process)


def page_ms(now: datetime) -> float | None:
    """95 % of pages take no longer, in the slowest process; None where nobody measured lately."""
    known: Any = redis.client().hvals(keys.PAGES)
    told = [tuple(map(float, text.split(" "))) for text in known]
    fresh = [took for at, took in told if abs(now.timestamp() - at) <= SILENT_SECONDS]
    return max(fresh, default=None)


def processes(now: datetime) -> list[Process]:
    found = []
    known: Any = redis.client().zrange(keys.PROCESSES, 0, -1, withscores=True)
    for name, at in known:
        kind, host, pid = name.split(" ")
        found.append(Process(kind, host, int(pid), max(now.timestamp() - at, 0.0)))
    return sorted(found, key=lambda process: (process.kind, process.host, process.pid))


def answer_ms() -> float:
    """How long Redis takes to answer."""
    began = clock.monotonic()
    redis.client().ping()
    return round(1000 * (clock.monotonic() - began), 2)


def memory() -> Memory:
    """Used, and how much there may be: what the server is allowed, or what the machine has."""
    info: Any = redis.client().info("memory")
    return Memory(info["used_memory"], info["maxmemory"] or info["total_system_memory"])
