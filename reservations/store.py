"""What the live map asks Redis, a few times a second for each event with watchers."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reservations import gate, keys
from ticketing.core import redis
from ticketing.events.selectors import seats_version

# Nobody who is connected is so far behind.
KEPT_REQUESTS = 10_000
KEPT_SECONDS = 600
Told = tuple[str, int, dict[str, Any]]  # name, fan, what became of their request


@dataclass(frozen=True)
class Glance:
    """What was told since the last one, and the version of the seat list now."""

    news: list[tuple[str, str, list[int]]]
    requests: list[Told]
    version: str | None


def glance(event_id: int, *, last_news: str, last_request: str) -> Glance:
    """The version is read first: a change that it knows of is then among the news, or will be."""
    version = seats_version(event_id)
    news = gate.updates_since(event_id, last_news)
    return Glance(news, requests_since(event_id, last_request), version)


def name_of(moment: datetime) -> str:
    """Whatever is told later has a greater name."""
    return f"{gate.ms(moment)}-0"


def tell_request(event_id: int, fan_id: int, told: dict[str, Any]) -> None:
    """An asynchronous request moved: for the processes that have its fan's connections."""
    name, entry = keys.requests(event_id), {"fan": fan_id, "told": json.dumps(told, default=str)}
    with redis.client().pipeline() as pipe:
        pipe.xadd(name, entry, maxlen=KEPT_REQUESTS, approximate=True)  # type: ignore[arg-type]
        pipe.expire(name, KEPT_SECONDS)
        pipe.execute()


def requests_since(event_id: int, last: str) -> list[Told]:
    found: Any = redis.client().xrange(keys.requests(event_id), min=f"({last}")
    return [(name, int(it["fan"]), json.loads(it["told"])) for name, it in found]
