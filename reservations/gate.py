"""The gate in Redis: refuses seats that are taken before the attempt costs any SQL.

It only saves work and never grants a seat. What it does not know, PostgreSQL decides; wrong entries
expire: an attempt after seconds, a hold at its deadline, the rest after a day.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from redis.exceptions import NoScriptError, RedisError

from reservations import keys
from reservations.errors import SeatsTaken, SoldOut, TakenSeat
from ticketing.core import redis
from ticketing.core.errors import TooManyRequests
from ticketing.events.services import next_seats_version

FOLDER = Path(__file__).parent / "lua"
# Longer than an attempt can take: the wait for row locks, and a slow Redis.
ATTEMPT_TTL = timedelta(seconds=2 + settings.SEAT_WAIT_SECONDS)
# Nobody overtakes those who wait for a seat. If no worker processes their requests for so long, the
# next attempt goes to the database as if nobody waited.
WANTED_MS = 10_000
# For seats that the database says are taken, without saying how long. An operator who puts such a
# seat on sale meanwhile sells it that much later.
TAKEN_TTL = timedelta(seconds=2)
TTL_SECONDS = 24 * 3600
TTL = timedelta(seconds=TTL_SECONDS)
# Far longer than it takes to publish a hold.
COUNTED_TTL_SECONDS = 30
WAKE_UP_MS = 100
ATTEMPT_WINDOW_MS = 10_000
HELD, SOLD, AVAILABLE = "h", "s", "a"
# What to do about seats that others are trying: refuse, wait in order, or wait in any case.
NOW, AUTO, ASYNC = "now", "auto", "async"
# Why a seat is taken, as the gate notes it; a seat that was freed meanwhile counts as tried.
LETTERS = {"held": HELD, "sold": SOLD, "tried": "t", "unavailable": "b"}
Taken = Mapping[int, str]  # seat -> why

log = logging.getLogger(__name__)


@cache
def script(name: str) -> Any:
    return redis.client().register_script((FOLDER / f"{name}.lua").read_text())


def begin_attempt(
    event_id: int, fan_id: int, seats: Sequence[int], now: datetime, mode: str = NOW
) -> bool:
    """Reserve the seats for one attempt in the database, or refuse; True: wait in order instead."""
    names, args = _attempt(event_id, fan_id, seats, now, mode)
    return _must_wait(script("begin_attempt")(keys=names, args=args, client=redis.client()))


async def abegin_attempt(
    event_id: int, fan_id: int, seats: Sequence[int], now: datetime, mode: str = NOW
) -> bool:
    """The same for coroutines."""
    return _must_wait(await _arun("begin_attempt", *_attempt(event_id, fan_id, seats, now, mode)))


def _attempt(
    event_id: int, fan_id: int, seats: Sequence[int], now: datetime, mode: str
) -> tuple[list[str], list[Any]]:
    """Keys and arguments of `begin_attempt.lua`."""
    names = [keys.gate(event_id), keys.seats_left(event_id)]
    names += [keys.attempts(event_id, fan_id), keys.wanted(event_id)]
    limits = [settings.HOLD_TRIES, ATTEMPT_WINDOW_MS]
    return names, [fan_id, ms(now), ms(now + ATTEMPT_TTL), *limits, mode, WANTED_MS, *seats]


def _must_wait(answer: list[str]) -> bool:
    status, *details = answer
    if status == "taken":
        raise SeatsTaken.because(
            TakenSeat(int(seat), why, _moment(until))
            for seat, why, until in zip(details[::3], details[1::3], details[2::3], strict=True)
        )
    if status == "sold_out":
        raise SoldOut()
    if status == "too_often":
        raise TooManyRequests(retry_after=-(-int(details[0]) // 1000))
    return status == "wait"


def _moment(until_ms: str) -> datetime | None:
    return datetime.fromtimestamp(int(until_ms) / 1000, UTC) if until_ms else None


def forget_wanted(event_id: int, seats: Collection[int]) -> None:
    """Nobody waits for these seats any more; without Redis that expires by itself."""
    try:
        redis.client().hdel(keys.wanted(event_id), *map(str, seats))
    except RedisError as outage:
        log.warning("event %s: seats stay wanted for a while: %s", event_id, outage)


def abandon_attempt(
    event_id: int, fan_id: int, seats: Collection[int], now: datetime, *, taken: Taken
) -> None:
    """Open the gate after a failed attempt; without Redis the attempt expires by itself."""
    _run_or_log("abandon_attempt", *_abandoned(event_id, fan_id, seats, now, taken))


async def aabandon_attempt(
    event_id: int, fan_id: int, seats: Collection[int], now: datetime, *, taken: Taken
) -> None:
    """The same for coroutines."""
    await _arun_or_log("abandon_attempt", *_abandoned(event_id, fan_id, seats, now, taken))


def _abandoned(
    event_id: int, fan_id: int, seats: Collection[int], now: datetime, taken: Taken
) -> tuple[list[str], list[Any]]:
    shut = [value for seat, why in taken.items() for value in (LETTERS[why], seat)]
    others = [seat for seat in seats if seat not in taken]
    return [keys.gate(event_id)], [fan_id, ms(now + TAKEN_TTL), len(taken), *shut, *others]


def publish_seats(
    event_id: int,
    fan_id: int,
    seats: Collection[int],
    letter: str,
    *,
    until: datetime,
    change: int = 0,
) -> None:
    """Publish a committed change. Never raises: PostgreSQL has it, and wrong entries expire."""
    _run_or_log("publish_seats", *_published(event_id, fan_id, seats, letter, until, change))


async def apublish_seats(
    event_id: int,
    fan_id: int,
    seats: Collection[int],
    letter: str,
    *,
    until: datetime,
    change: int = 0,
) -> None:
    """The same for coroutines."""
    update = _published(event_id, fan_id, seats, letter, until, change)
    await _arun_or_log("publish_seats", *update)


def _published(
    event_id: int,
    fan_id: int,
    seats: Collection[int],
    letter: str,
    until: datetime,
    change: int,
) -> tuple[list[str], list[Any]]:
    version_key, version, version_ttl = next_seats_version(event_id=event_id)
    names = [
        keys.gate(event_id),
        keys.seats_left(event_id),
        keys.seat_updates(event_id),
        version_key,
        keys.counted(event_id),
    ]
    return names, [letter, fan_id, ms(until), change, TTL_SECONDS, version, version_ttl, *seats]


def last_update_id(event_id: int) -> str:
    """Id of the newest entry in the stream of seat updates."""
    found: Any = redis.client().xrevrange(keys.seat_updates(event_id), count=1)
    return found[0][0] if found else ""


def updates_since(event_id: int, last: str) -> list[tuple[str, str, list[int]]]:
    """(id, letter, seats) of every update after `last`; for the live map."""
    found: Any = redis.client().xrange(keys.seat_updates(event_id), min=f"({last}" if last else "-")
    return [(name, it["l"], [int(seat) for seat in it["s"].split(",")]) for name, it in found]


def claim_wake_up() -> bool:
    """Whether the caller should wake a worker: nobody has done so in the last moment."""
    return bool(redis.client().set(keys.WAKE_UP, 1, nx=True, px=WAKE_UP_MS))


def set_seats_left(
    event_id: int, free: int, *, last: str, newest: Collection[tuple[int, datetime]] = ()
) -> bool:
    """Store the count; False if an update was published since `last`.

    `newest` are the seats and deadlines of the newest holds: what of them is not published yet has
    been counted, and is not subtracted again when it is.
    """
    names = [keys.seats_left(event_id), keys.seat_updates(event_id)]
    names += [keys.gate(event_id), keys.counted(event_id)]
    holds = [value for seat, until in newest for value in (seat, ms(until))]
    args = [free, last, TTL_SECONDS, COUNTED_TTL_SECONDS, *holds]
    return bool(script("set_seats_left")(keys=names, args=args, client=redis.client()))


def seats_left(event_id: int) -> int | None:
    """How many seats are free, or None if Redis does not know."""
    found: Any = redis.client().get(keys.seats_left(event_id))
    return None if found is None else int(found)


def ahas_attempted(event_id: int, fan_id: int) -> asyncio.Future[Any]:
    """Whether this person attempted a hold in the last seconds, with or without success.

    Asked at once, whenever it is awaited: together with whatever else is asked in this moment.
    """
    return redis.async_client().call("EXISTS", keys.attempts(event_id, fan_id))


def rebuild(event_id: int, shut: dict[int, tuple[datetime, int, str]]) -> None:
    """Replace the gate by these seats; attempts under way are forgotten, which is harmless."""
    name = keys.gate(event_id)
    with redis.client().pipeline() as pipe:
        pipe.delete(name)
        if shut:
            entries: Any = {
                str(seat): f"{ms(until)}:{fan}:{letter}"
                for seat, (until, fan, letter) in shut.items()
            }
            pipe.hset(name, mapping=entries)
            pipe.expire(name, TTL_SECONDS)
        pipe.execute()


def ms(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return int(moment.timestamp() * 1000)


def _run_or_log(name: str, names: list[str], args: list[Any]) -> None:
    try:
        script(name)(keys=names, args=args, client=redis.client())
    except RedisError as outage:
        log.warning("gate script %s failed for %s: %s", name, names[0], outage)


async def _arun_or_log(name: str, names: list[str], args: list[Any]) -> None:
    try:
        await _arun(name, names, args)
    except RedisError as outage:
        log.warning("gate script %s failed for %s: %s", name, names[0], outage)


async def _arun(name: str, names: list[str], args: list[Any]) -> Any:
    client, lua = redis.async_client(), script(name)
    try:
        return await client.evalsha(lua.sha, len(names), *names, *args)
    except NoScriptError:
        return await client.eval(lua.script, len(names), *names, *args)
