"""The Redis streams behind the live seat map: seats and hold requests that changed."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reservations import gate, keys
from ticketing.core import redis
from ticketing.events.selectors import seats_version

# No connected process is so far behind.
KEPT_REQUESTS = 10_000
# So many requests share an entry: all but one of a crowd lose in the same moment.
REQUESTS_IN_ENTRY = 500
KEPT_SECONDS = 600
SeatChange = tuple[str, str, list[int]]  # stream id, letter of the new state, seats
FanRequest = tuple[int, dict[str, Any]]  # fan, the request as it is now
RequestChange = tuple[str, list[FanRequest]]  # stream id, requests that changed
PassMove = tuple[int, str]  # fan, mark of the browser that has the pass now


@dataclass(frozen=True)
class Changes:
    """What changed since the last read, and the version of the seat list now."""

    seats: list[SeatChange]
    requests: list[RequestChange]
    version: str | None
    passes: list[PassMove] = field(default_factory=list)


def changes_since(event_id: int, *, last_seat: str, last_request: str) -> Changes:
    """The version is read first: a change that it counts is then among these, or the next ones."""
    version = seats_version(event_id)
    seats = gate.updates_since(event_id, last_seat)
    found: Any = redis.client().xrange(keys.requests(event_id), min=f"({last_request}")
    requests = [(name, json.loads(it.get("requests", "[]"))) for name, it in found]
    passes = [(int(it["fan"]), it["browser"]) for _, it in found if "browser" in it]
    return Changes(seats, requests, version, passes)


def stream_id_at(moment: datetime) -> str:
    """Whatever is added later has a greater id."""
    return f"{gate.ms(moment)}-0"


def add_request_changes(event_id: int, changes: list[FanRequest]) -> None:
    """For the processes that have the fans' connections."""
    name = keys.requests(event_id)
    with redis.client().pipeline() as pipe:
        for first in range(0, len(changes), REQUESTS_IN_ENTRY):
            some = changes[first : first + REQUESTS_IN_ENTRY]
            entry: Any = {"requests": json.dumps(some, default=str)}
            pipe.xadd(name, entry, maxlen=KEPT_REQUESTS, approximate=True)
        pipe.expire(name, KEPT_SECONDS)
        pipe.execute()


def add_pass_move(event_id: int, fan_id: int, browser: str) -> None:
    """In the same stream: it is read a few times a second where the fan has a seat map open."""
    name, entry = keys.requests(event_id), {"fan": fan_id, "browser": browser}
    with redis.client().pipeline() as pipe:
        pipe.xadd(name, entry, maxlen=KEPT_REQUESTS, approximate=True)  # type: ignore[arg-type]
        pipe.expire(name, KEPT_SECONDS)
        pipe.execute()
