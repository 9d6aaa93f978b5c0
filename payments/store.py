"""Payments in Redis: the gateway's circuit breaker, and the channel of payments that changed.

Every process shares the breaker: when too many calls fail for a few seconds, it stops all calls for
a minute, then lets one probe through. Calls that only read may probe every few seconds before.
Without Redis the breaker counts as closed.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from redis.exceptions import NoScriptError, RedisError

from payments import keys
from ticketing.core import clock, redis

FOLDER = Path(__file__).parent / "lua"
log = logging.getLogger(__name__)

# How long a call waits for the breaker if Redis is silent; then it goes out.
REDIS_SECONDS = 1.0
OPEN_MS = 60_000
WINDOW_MS = 60_000
BUCKET_MS = 5_000  # calls are counted, not listed: a busy minute has tens of thousands
# Longer than the longest call: a process that dies during its probe blocks the next one this long.
PROBE_MS = 15_000
# While the breaker is open, so often one call that only reads may see whether the gateway is back.
READ_EVERY_MS = 3_000
MIN_CALLS = 10
MAX_FAILURE_PERCENT = 50
# A crowd makes ten calls in a moment, and a gateway that is away for a second is soon back: nothing
# succeeded for so long, or calls failed in so many buckets.
MIN_OUTAGE_MS = 3_000
MIN_FAILING_BUCKETS = 3


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


async def allow_call(gateway: str, *, reads: bool = False) -> bool:
    """Whether this call is the probe of an open breaker; BreakerOpen if it may not go out."""
    args = [_now_ms(), OPEN_MS, PROBE_MS, int(reads)]
    found = await _run("allow_call", [keys.breaker(gateway)], args)
    state, ms_left = found or ("closed", 0)
    if state == "open":
        raise BreakerOpen(f"for another {int(ms_left) / 1000:.0f} s")
    return state == "probe"


async def record_call(gateway: str, *, succeeded: bool, is_probe: bool = False) -> None:
    """Count a call. One that the gateway declined succeeded: the gateway answered."""
    limits = [WINDOW_MS, BUCKET_MS, MIN_CALLS, MAX_FAILURE_PERCENT]
    lasts = [MIN_OUTAGE_MS, MIN_FAILING_BUCKETS]
    args = [_now_ms(), int(succeeded), *limits, int(is_probe), READ_EVERY_MS, *lasts]
    await _run("record_call", [keys.calls(gateway), keys.breaker(gateway)], args)


def breaker_state(gateway: str) -> BreakerState:
    """For operators; changes nothing."""
    now = _now_ms()
    opened: Any = redis.client().hget(keys.breaker(gateway), "opened")
    counts: Any = redis.client().hgetall(keys.calls(gateway))
    recent = {
        name: int(count)
        for name, count in counts.items()
        if name != "failing" and int(name.partition(":")[0]) * BUCKET_MS > now - WINDOW_MS
    }
    failures = sum(count for name, count in recent.items() if name.endswith(":failed"))
    ms_left = max(0, int(opened) + OPEN_MS - now) if opened else 0
    state = ("open" if ms_left else "half_open") if opened else "closed"
    return BreakerState(state, ms_left, sum(recent.values()), failures)


def is_probe_due(gateway: str) -> bool | None:
    """Whether an open breaker would let a call through that only reads; None: it is closed."""
    try:
        asked = redis.client().hmget(keys.breaker(gateway), "opened", "probing")
    except RedisError as outage:
        log.warning("the breaker could not be read, calls go out: %s", outage)
        return None
    opened, probing = cast("list[str | None]", asked)
    return _now_ms() >= int(probing or 0) if opened else None


async def publish_change(pk: int, state: str) -> None:
    """For the processes that have sockets of this payment."""
    message = json.dumps({"payment": pk, "state": state})
    await redis.async_client().call("PUBLISH", keys.changes_channel(redis.database()), message)


async def subscribe_to_changes() -> AsyncIterator[tuple[int, str]]:
    """The payments that change from now on, with their new states."""
    async with redis.listening(keys.changes_channel(redis.database())) as texts:
        async for text in texts:
            change = json.loads(text)
            yield int(change["payment"]), str(change["state"])


async def _run(name: str, names: list[str], args: list[Any]) -> Any:
    client, lua, values = redis.async_client(), script(name), [*names, *args]
    try:
        async with asyncio.timeout(REDIS_SECONDS):
            try:
                return await client.evalsha(lua.sha, len(names), *values)
            except NoScriptError:
                return await client.eval(lua.script, len(names), *values)
    except (RedisError, TimeoutError) as outage:
        log.warning("the breaker's script %s failed, the call goes out: %s", name, outage)
        return None


def _now_ms() -> int:
    return int(clock.now().timestamp() * 1000)
