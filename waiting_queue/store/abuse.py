"""What is counted of a person, a browser and a range of addresses, and signals on their way."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from ticketing.core import redis
from waiting_queue import keys
from waiting_queue.store.results import ms
from waiting_queue.store.scripts import ScriptCall, script

# Who came from where in a rush, and asked for holds.
JOIN_WINDOW_MS, HOLD_WINDOW_MS, RUN_OUT_WINDOW_MS = 600_000, 60_000, 3_600_000
# More than can be waiting for a worker; the oldest are dropped first.
MAX_SIGNALS = 1_000_000


@dataclass(frozen=True, slots=True)
class JoinCounts:
    """Of this person, and of all who came the same way within the window."""

    asked: int = 0
    run_outs: int = 0
    from_range: int = 0
    with_device: int = 0


def count_join(
    event_id: int,
    person: str,
    *,
    network: str,
    device: str,
    now: datetime,
    is_asked: bool = True,
) -> ScriptCall[JoinCounts | None]:
    """None for whoever has a place in the line. `is_asked`: for a challenge."""
    ways = {"from_range": ("range", _hashed(network)), "with_device": ("device", device)}
    known = {name: way for name, way in ways.items() if way[1]}
    names = [
        *(keys.key(event_id, name) for name in ("seen", "ready", "inside")),
        keys.asked(event_id, person),
        keys.run_outs(event_id, "person", person),
        keys.challenged(event_id),
        *(keys.joined_from(event_id, kind, name) for kind, name in known.values()),
    ]
    args = [person, ms(now), JOIN_WINDOW_MS, int(is_asked)]

    def parse(answer: Sequence[int]) -> JoinCounts | None:
        has_place, asked, run_outs, *sizes = answer
        if has_place:
            return None
        return JoinCounts(asked, run_outs, **dict(zip(known, sizes, strict=True)))

    return ScriptCall(script("count_join"), names, args, parse)


def count_hold(
    event_id: int, person: str, *, network: str, device: str
) -> ScriptCall[tuple[str, int]]:
    """Whether they may hold now; otherwise why not, and for how many milliseconds."""
    names, allowed = [], []
    for kind, name, limit in (
        ("person", person, 0),
        ("device", device, settings.HOLDS_PER_DEVICE),
        ("range", _hashed(network), settings.HOLDS_PER_RANGE),
    ):
        if name:
            names += [keys.cool_down(event_id, kind, name), keys.holds(event_id, kind, name)]
            allowed.append(limit)
    return ScriptCall(script("count_hold"), names, [HOLD_WINDOW_MS, *allowed], _parse_hold)


def count_run_out(
    event_id: int, person: str, *, network: str, device: str
) -> ScriptCall[list[int]]:
    names, limits = [], []
    for kind, name, limit in (
        ("person", person, settings.RUN_OUTS_PER_PERSON),
        ("device", device, settings.RUN_OUTS_PER_PERSON),
        ("range", _hashed(network), settings.RUN_OUTS_PER_RANGE),
    ):
        if name:
            names += [keys.run_outs(event_id, kind, name), keys.cool_down(event_id, kind, name)]
            limits.append(limit)
    times = [RUN_OUT_WINDOW_MS, 60_000 * settings.COOL_DOWN_MINUTES]
    return ScriptCall(script("count_run_out"), names, [*times, *limits], list)


def cool_down_ms(event_id: int, person: str) -> int:
    """How long this person has to cool down; 0 if not at all."""
    return max(redis.queue_client().pttl(keys.cool_down(event_id, "person", person)), 0)


def add_signals(fields: Mapping[str, Any]) -> None:
    redis.client().xadd(
        keys.signals(), {"s": json.dumps(fields)}, maxlen=MAX_SIGNALS, approximate=True
    )


def add_signals_later(fields: Mapping[str, Any]) -> None:
    """From a coroutine, which does not wait for it."""
    redis.async_client().send_later(
        *("XADD", keys.signals(), "MAXLEN", "~", MAX_SIGNALS, "*", "s", json.dumps(fields))
    )


def oldest_signals(count: int) -> list[tuple[str, dict[str, Any]]]:
    found: Any = redis.client().xrange(keys.signals(), count=count)
    return [(entry, json.loads(fields["s"])) for entry, fields in found]


def delete_signals(entries: Sequence[str]) -> None:
    redis.client().xdel(keys.signals(), *entries)


def join_counts(event_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """How many have joined each line so far, and were asked for a challenge."""
    with redis.queue_client().pipeline(transaction=False) as pipe:
        for event_id in event_ids:
            pipe.hget(keys.key(event_id, "meta"), "joined")
            pipe.get(keys.challenged(event_id))
        counts = [int(count or 0) for count in pipe.execute()]
    return dict(zip(event_ids, zip(counts[::2], counts[1::2], strict=True), strict=True))


def _parse_hold(answer: Sequence[Any]) -> tuple[str, int]:
    return answer[0], int(answer[1]) if len(answer) > 1 else 0


def _hashed(network: str) -> str:
    """No addresses in keys."""
    return hashlib.sha256(network.encode()).hexdigest()[:16] if network else ""
