"""The breaker's memory in Redis, shared by every process. Without Redis, calls go out."""

import logging
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from redis.exceptions import RedisError

from payments import keys
from ticketing.core import redis

FOLDER = Path(__file__).parent / "lua"
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BreakerState:
    word: str
    ms_left: int
    calls: int
    bad: int


@cache
def script(verb: str) -> Any:
    return redis.client().register_script((FOLDER / f"{verb}.lua").read_text())


def ask(gateway: str, *, now_ms: int, pause_ms: int, probe_ms: int) -> tuple[str, int]:
    found = _quietly("ask", [keys.breaker(gateway)], [now_ms, pause_ms, probe_ms])
    return (found[0], int(found[1])) if found else ("closed", 0)


def report(
    gateway: str,
    *,
    now_ms: int,
    went_well: bool,
    window_ms: int,
    least: int,
    percent: int,
    is_try: bool,
) -> str:
    args = [now_ms, uuid4().hex, int(went_well), window_ms, least, percent, int(is_try)]
    found = _quietly("report", [keys.calls(gateway), keys.breaker(gateway)], args)
    return found or "closed"


def look(gateway: str, *, now_ms: int, pause_ms: int, window_ms: int) -> BreakerState:
    """For operators; changes nothing."""
    opened: Any = redis.client().hget(keys.breaker(gateway), "opened")
    calls: Any = redis.client().zrangebyscore(keys.calls(gateway), now_ms - window_ms, "+inf")
    left = max(0, int(opened) + pause_ms - now_ms) if opened else 0
    word = ("open" if left else "half_open") if opened else "closed"
    return BreakerState(word, left, len(calls), sum(each.startswith("0") for each in calls))


def _quietly(verb: str, names: list[str], args: list[Any]) -> Any:
    try:
        return script(verb)(keys=names, args=args, client=redis.client())
    except RedisError as outage:
        log.warning("the breaker was not asked or told (%s): %s", verb, outage)
        return None
