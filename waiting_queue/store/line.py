"""One function for each script: it says what to run, `run` and `arun` run it."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from waiting_queue import keys
from waiting_queue.store.results import (
    Rules,
    ScriptResult,
    Standing,
    TickResult,
    ms,
    parse_memberships,
    parse_poll,
    parse_result,
    parse_snapshot,
    parse_standing,
    parse_tick,
    parse_tick_message,
)
from waiting_queue.store.scripts import ScriptCall, script
from waiting_queue.tick_message import TickMessage
from waiting_queue.tokens import QueueToken

# People that one tick calls and removes at most, so that Redis is never busy for long.
TICK_BATCH = 500
SWEEP_BATCH = 200
# A claim that arrived in time and is decided so much later is still in time.
CLAIM_GRACE_MS = 3_000
# People listed in one tick message, for the same reason.
CHANGES_BATCH = 5_000


def join(event_id: int, person: str, now: datetime) -> ScriptCall[ScriptResult]:
    return _call("join", event_id, [person, ms(now)], parse_result)


def poll(
    event_id: int, person: str, now: datetime, *, token: QueueToken | None = None
) -> ScriptCall[Standing | None]:
    """A person's standing, and a heartbeat. None if the token is of an earlier stay."""
    return _call("poll", event_id, [person, ms(now), *_stay(token)], parse_poll)


def peek(event_id: int, person: str, now: datetime) -> ScriptCall[Standing]:
    """A person's standing without a heartbeat."""
    return _call("peek", event_id, [person, ms(now)], parse_standing)


def claim(
    event_id: int,
    person: str,
    now: datetime,
    *,
    waited_ms: int = 0,
    token: QueueToken | None = None,
) -> ScriptCall[ScriptResult]:
    """`waited_ms` is how long ago the request arrived."""
    args = [person, ms(now), min(waited_ms, CLAIM_GRACE_MS), *_stay(token)]
    return _call("claim", event_id, args, parse_result)


def leave(
    event_id: int,
    person: str,
    now: datetime,
    *,
    how: str = "left",
    why: str = "",
    token: QueueToken | None = None,
) -> ScriptCall[str]:
    return _call("leave", event_id, [person, ms(now), how, why, *_stay(token)], str)


def tick(
    event_id: int,
    rules: Rules,
    now: datetime,
    *,
    is_behind: bool = False,
    batch: int = TICK_BATCH,
    sweep: int = SWEEP_BATCH,
) -> ScriptCall[TickResult]:
    """`is_behind`: a server process says that it is, so nobody's time to claim runs."""
    args = [ms(now), batch, sweep, CLAIM_GRACE_MS, int(is_behind), *rules.as_args()]
    return _call("tick", event_id, args, parse_tick)


def configure(event_id: int, rules: Rules, now: datetime, *, new: bool = False) -> ScriptCall[int]:
    return _call("configure", event_id, [ms(now), int(new), *rules.as_args()], int)


def draw(event_id: int, people: Sequence[str], first_number: int, now: datetime) -> ScriptCall[int]:
    return _call("draw", event_id, [ms(now), first_number, *people], int)


def restore_place(event_id: int, person: str, number: int, now: datetime) -> ScriptCall[Standing]:
    return _call("restore_place", event_id, [person, ms(now), number], parse_standing)


def snapshot(event_id: int) -> ScriptCall[dict[str, str]]:
    return _call("snapshot", event_id, [], parse_snapshot)


def tick_message(event_id: int, *, most: int = CHANGES_BATCH) -> ScriptCall[TickMessage | None]:
    """None while the line is being rebuilt."""
    return _call("tick_message", event_id, [most], partial(parse_tick_message, event_id))


def heartbeat(event_id: int, people: Sequence[str], now: datetime) -> ScriptCall[int]:
    return _call("heartbeat", event_id, [ms(now), *people], int)


def add_membership(
    event_id: int, person: str, now: datetime, *, again: bool = False
) -> ScriptCall[dict[int, int]]:
    """All events whose lines the person is in, in order of joining, and since when in seconds."""
    args = [event_id, ms(now) // 1000, int(again)]
    return ScriptCall(script("add_membership"), [keys.memberships(person)], args, parse_memberships)


def remove_membership(event_id: int, person: str, *, since: int | None = None) -> ScriptCall[int]:
    args = [event_id] if since is None else [event_id, since]
    return ScriptCall(script("remove_membership"), [keys.memberships(person)], args, int)


def _call(name: str, event_id: int, args: Sequence[Any], parse: Any) -> ScriptCall[Any]:
    return ScriptCall(script(name), keys.of_event(event_id), args, parse)


def _stay(token: QueueToken | None) -> list[Any]:
    """The arguments that tell a script for which stay in line a token was given."""
    return [token.number, token.epoch] if token else []
