"""The gate in Redis: turns losers away before they cost the database anything.

It only makes things fast. What it does not know PostgreSQL decides, and what it knows wrongly ends
by itself: a try after seconds, a hold at its deadline, the rest after a day.
"""

import logging
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from redis.exceptions import NoScriptError, RedisError

from reservations import keys
from reservations.errors import SeatsTaken, SoldOut
from ticketing.core import redis
from ticketing.core.errors import TooManyRequests
from ticketing.events.services import next_seats_version

FOLDER = Path(__file__).parent / "lua"
# Longer than a try can take: the wait for row locks, and a Redis that is slow to answer.
TRY = timedelta(seconds=5)
# The database said that a seat is taken, but not for how long: so long nobody asks it again. An
# operator who puts a seat on sale meanwhile sells it so much later.
SHUT = timedelta(seconds=2)
KEPT_SECONDS = 24 * 3600
KEPT = timedelta(seconds=KEPT_SECONDS)
WAKER_MS = 100
TRIES_MS = 10_000
HELD, SOLD, AVAILABLE = "h", "s", "a"

log = logging.getLogger(__name__)


@cache
def script(verb: str) -> Any:
    return redis.client().register_script((FOLDER / f"{verb}.lua").read_text())


def enter(event_id: int, fan_id: int, seats: Sequence[int], now: datetime) -> None:
    """Go on to the database, or be told at once that it is no use."""
    names, args = _wish(event_id, fan_id, seats, now)
    _may_go_on(script("enter")(keys=names, args=args, client=redis.client()))


async def aenter(event_id: int, fan_id: int, seats: Sequence[int], now: datetime) -> None:
    names, args = _wish(event_id, fan_id, seats, now)
    client, wanted = redis.async_client(), [*names, *args]
    try:
        answer = await client.evalsha(script("enter").sha, len(names), *wanted)
    except NoScriptError:
        answer = await client.eval(script("enter").script, len(names), *wanted)
    _may_go_on(answer)


def _wish(
    event_id: int, fan_id: int, seats: Sequence[int], now: datetime
) -> tuple[list[str], list[int]]:
    names = [keys.gate(event_id), keys.left(event_id), keys.tries(event_id, fan_id)]
    return names, [fan_id, ms(now), ms(now + TRY), settings.HOLD_TRIES, TRIES_MS, *seats]


def _may_go_on(answer: list[str]) -> None:
    word, *more = answer
    if word == "taken":
        raise SeatsTaken(seats=[int(seat) for seat in more])
    if word == "sold_out":
        raise SoldOut()
    if word == "too_often":
        raise TooManyRequests(retry_after=-(-int(more[0]) // 1000))


def go_back(
    event_id: int, fan_id: int, seats: Collection[int], now: datetime, *, taken: Collection[int]
) -> None:
    """A try came to nothing. Without Redis it is forgotten anyway."""
    others = [seat for seat in seats if seat not in set(taken)]
    args = [fan_id, ms(now + SHUT), len(taken), *taken, *others]
    _quietly("back", [keys.gate(event_id)], args)


def tell(
    event_id: int,
    fan_id: int,
    seats: Collection[int],
    letter: str,
    *,
    until: datetime,
    change: int = 0,
) -> None:
    """Say what is true now. It never fails: the database has it, and what is wrong here ends."""
    key, version, seconds = next_seats_version(event_id=event_id)
    names = [keys.gate(event_id), keys.left(event_id), keys.news(event_id), key]
    args = [letter, fan_id, ms(until), change, KEPT_SECONDS, version, seconds, *seats]
    _quietly("tell", names, args)


def last_news(event_id: int) -> str:
    """The name of the last piece of news."""
    found: Any = redis.client().xrevrange(keys.news(event_id), count=1)
    return found[0][0] if found else ""


def news_since(event_id: int, last: str) -> list[tuple[str, str, list[int]]]:
    """(name, letter, seats) of everything told since; for the live map."""
    found: Any = redis.client().xrange(keys.news(event_id), min=f"({last}" if last else "-")
    return [(name, it["l"], [int(seat) for seat in it["s"].split(",")]) for name, it in found]


def is_first_to_wake() -> bool:
    """Whether nobody has woken a worker up in the last moment."""
    return bool(redis.client().set(keys.WAKER, 1, nx=True, px=WAKER_MS))


def recount(event_id: int, free: int, *, last: str) -> bool:
    """Whether the count stands: nothing was told since `last`."""
    names = [keys.left(event_id), keys.news(event_id)]
    return bool(
        script("recount")(keys=names, args=[free, last, KEPT_SECONDS], client=redis.client())
    )


def seats_left(event_id: int) -> int | None:
    found: Any = redis.client().get(keys.left(event_id))
    return None if found is None else int(found)


def shut_seats(event_id: int) -> dict[int, tuple[datetime, str]]:
    """Every seat that the gate knows of: until when, and by whom."""
    found: Any = redis.client().hgetall(keys.gate(event_id))
    pairs = {int(seat): entry.split(":", 1) for seat, entry in found.items()}
    return {seat: (moment(int(until)), owner) for seat, (until, owner) in pairs.items()}


def reset(event_id: int, shut: dict[int, tuple[datetime, int]]) -> None:
    """The gate as the database has it; tries under way are forgotten, which is harmless."""
    name = keys.gate(event_id)
    with redis.client().pipeline() as pipe:
        pipe.delete(name)
        if shut:
            entries: Any = {str(seat): f"{ms(until)}:{fan}" for seat, (until, fan) in shut.items()}
            pipe.hset(name, mapping=entries)
            pipe.expire(name, KEPT_SECONDS)
        pipe.execute()


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _quietly(verb: str, names: list[str], args: list[Any]) -> None:
    try:
        script(verb)(keys=names, args=args, client=redis.client())
    except RedisError as outage:
        log.warning("the gate was not told (%s %s): %s", verb, names[0], outage)
