"""The circuit breaker of a gateway, kept in Redis and shared by every process.

When too many calls fail, it stops all calls for a minute, then lets one probe through. Without
Redis the breaker counts as closed.
"""

import logging
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from redis.exceptions import RedisError

from payments import keys
from ticketing.core import clock, redis

FOLDER = Path(__file__).parent / "lua"
log = logging.getLogger(__name__)

OPEN_MS = 60_000
WINDOW_MS = 60_000
# Longer than the longest call: a process that dies during its probe blocks the next one this long.
PROBE_MS = 65_000
MIN_CALLS = 10
MAX_FAILURE_PERCENT = 50


class BreakerOpen(Exception):
    """The gateway may not be called now."""


@dataclass(frozen=True)
class BreakerState:
    """`state` is closed, open or half_open; calls and failures are those of the last minute."""

    state: str
    ms_left: int
    calls: int
    failures: int


@cache
def script(name: str) -> Any:
    return redis.client().register_script((FOLDER / f"{name}.lua").read_text())


def allow_call(gateway: str) -> bool:
    """Whether this call is the probe of an open breaker; BreakerOpen if it may not go out."""
    found = _run("allow_call", [keys.breaker(gateway)], [_now_ms(), OPEN_MS, PROBE_MS])
    state, ms_left = found or ("closed", 0)
    if state == "open":
        raise BreakerOpen(f"for another {int(ms_left) / 1000:.0f} s")
    return state == "probe"


def record_call(gateway: str, *, succeeded: bool, is_probe: bool = False) -> None:
    """Count a call. One that the gateway declined succeeded: the gateway answered."""
    limits = [WINDOW_MS, MIN_CALLS, MAX_FAILURE_PERCENT]
    args = [_now_ms(), uuid4().hex, int(succeeded), *limits, int(is_probe)]
    _run("record_call", [keys.calls(gateway), keys.breaker(gateway)], args)


def breaker_state(gateway: str) -> BreakerState:
    """For operators; changes nothing."""
    now = _now_ms()
    opened: Any = redis.client().hget(keys.breaker(gateway), "opened")
    calls: Any = redis.client().zrangebyscore(keys.calls(gateway), now - WINDOW_MS, "+inf")
    ms_left = max(0, int(opened) + OPEN_MS - now) if opened else 0
    state = ("open" if ms_left else "half_open") if opened else "closed"
    return BreakerState(state, ms_left, len(calls), sum(call.startswith("0") for call in calls))


def _run(name: str, names: list[str], args: list[Any]) -> Any:
    try:
        return script(name)(keys=names, args=args, client=redis.client())
    except RedisError as outage:
        log.warning("the breaker's script %s failed, the call goes out: %s", name, outage)
        return None


def _now_ms() -> int:
    return int(clock.now().timestamp() * 1000)
