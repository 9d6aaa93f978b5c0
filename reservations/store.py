"""The Redis streams behind the live seat map: seats and hold requests that changed."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reservations import gate, keys
from ticketing.core import redis
from ticketing.events.selectors import seats_version

# No connected process is so far behind.
KEPT_REQUESTS = 10_000
KEPT_SECONDS = 600
SeatChange = tuple[str, str, list[int]]  # stream id, letter of the new state, seats
RequestChange = tuple[str, int, dict[str, Any]]  # stream id, fan, the request as it is now


@dataclass(frozen=True)
class Changes:
    """What changed since the last read, and the version of the seat list now."""

    seats: list[SeatChange]
    requests: list[RequestChange]
    version: str | None


def changes_since(event_id: int, *, last_seat: str, last_request: str) -> Changes:
    """The version is read first: a change that it counts is then among these, or the next ones."""
    version = seats_version(event_id)
    seats = gate.updates_since(event_id, last_seat)
    found: Any = redis.client().xrange(keys.requests(event_id), min=f"({last_request}")
    requests = [(name, int(it["fan"]), json.loads(it["request"])) for name, it in found]
    return Changes(seats, requests, version)


def stream_id_at(moment: datetime) -> str:
    """Whatever is added later has a greater id."""
    return f"{gate.ms(moment)}-0"


def add_request_change(event_id: int, fan_id: int, request: dict[str, Any]) -> None:
    """For the processes that have the fan's connections."""
    name, entry = (
        keys.requests(event_id),
        {"fan": fan_id, "request": json.dumps(request, default=str)},
    )
    with redis.client().pipeline() as pipe:
        pipe.xadd(name, entry, maxlen=KEPT_REQUESTS, approximate=True)  # type: ignore[arg-type]
        pipe.expire(name, KEPT_SECONDS)
        pipe.execute()
