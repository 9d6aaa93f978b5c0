"""Work on many people or whole keys, outside of the scripts."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from ticketing.core import redis
from waiting_queue import keys
from waiting_queue.store.line import add_membership, heartbeat, lease_pages, peek
from waiting_queue.store.results import Invitation, Standing
from waiting_queue.store.scripts import arun, arun_all, run_all

# People in one command or script, so that Redis is never busy for long.
BATCH = 1_000
SCRIPT_BATCH = 200
# Scores in the lobby: below this times, above it ordinals of minutes (`lua/_minutes.lua`).
MINUTES_FROM = 10**15


def lobby_people(event_id: int, *, part: int = 5_000) -> list[str]:
    """Everybody who came before the opening, in order of arrival."""
    people = _drawn_together(event_id, 0, part)
    return sorted(people, key=lambda person: (people[person] % keys.LOBBY_LANE, person))


def minute_people(event_id: int, minute: int, *, part: int = 5_000) -> list[str]:
    """Everybody of a minute that has ended: from then on nobody can be added."""
    return sorted(_drawn_together(event_id, minute, part))


def _drawn_together(event_id: int, pool: int, part: int) -> dict[str, float]:
    """Who is listed for the draw of the opening (0) or a minute, with their scores.

    A place that is handed over while it is read is in the list once, with the name of whoever left
    (`keep_lot` in `lua/_party.lua`).
    """
    client, lobby = redis.queue_client(), keys.key(event_id, "lobby")
    people = {who: score for who, score in _members(lobby, part) if _pool_of(score) == pool}
    handed_over = client.hscan_iter(keys.key(event_id, "parties"), match=f"@{pool}:*")
    for field, heir in handed_over:
        people.pop(heir, None)
        score = client.zscore(lobby, heir)
        if score is not None and _pool_of(score) == pool:
            people[field.partition(":")[2]] = score
    return people


def _pool_of(score: float) -> int:
    return max(int(score) - MINUTES_FROM, 0)


def undrawn_minutes(event_id: int) -> dict[int, int]:
    """The minutes that have ended and are not drawn, in order, with their first numbers."""
    found = redis.queue_client().zrange(keys.key(event_id, "minutes"), 0, -1, withscores=True)
    return {int(minute): int(first_number) for minute, first_number in found}


def events_with_undrawn_minutes(event_ids: Sequence[int]) -> list[int]:
    return _filled(event_ids, "minutes", "zcard")


def line_numbers(event_id: int, *, part: int = 5_000) -> list[int]:
    """The numbers in line, ascending, read in parts from the end.

    Each part begins at a number, not at a rank: in a line with lanes people join in the middle,
    and those behind them would be missed.
    """
    client, key = redis.queue_client(), keys.key(event_id, "line")
    numbers: list[int] = []
    below: str = "+inf"
    while True:
        found = client.zrange(
            key, below, "-inf", desc=True, byscore=True, offset=0, num=part, withscores=True
        )
        numbers += (int(number) for _, number in found)
        if len(found) < part:
            return numbers[::-1]
        below = f"({numbers[-1]}"


def _members(key: str, part: int) -> Iterator[tuple[str, float]]:
    """Members and scores of a sorted set, read in parts from the end.

    Whoever leaves meanwhile can only cause a member to be read twice, never to be missed.
    """
    client = redis.queue_client()
    for end in range(client.zcard(key), 0, -part):
        yield from client.zrange(key, max(end - part, 0), end - 1, withscores=True)


def people_inside(event_id: int) -> dict[str, int]:
    """Everybody inside, and when they came in, in milliseconds."""
    client = redis.queue_client()
    people: list[str] = client.zrange(keys.key(event_id, "inside"), 0, -1)
    marks = client.hmget(keys.key(event_id, "called"), people) if people else []
    found = zip(people, marks, strict=True)
    return {person: int(mark.split(":")[1]) for person, mark in found if mark}


def events_with_people_inside(event_ids: Sequence[int]) -> list[int]:
    return _filled(event_ids, "inside", "zcard")


def events_with_journal(event_ids: Sequence[int]) -> list[int]:
    """Those of these events whose journal has entries."""
    return _filled(event_ids, "journal", "xlen")


def _filled(event_ids: Sequence[int], name: str, command: str) -> list[int]:
    """Those of these events whose key of this name is not empty."""
    lengths = _of_each(event_ids, name, command)
    return [event_id for event_id, length in lengths.items() if length]


def _of_each(event_ids: Sequence[int], name: str, command: str) -> dict[int, Any]:
    """What the command answers for the key of this name of each event, in one round trip."""
    if not event_ids:
        return {}
    with redis.queue_client().pipeline(transaction=False) as pipe:
        for event_id in event_ids:
            getattr(pipe, command)(keys.key(event_id, name))
        return dict(zip(event_ids, pipe.execute(), strict=True))


def journal_entries(event_id: int, count: int) -> list[tuple[str, dict[str, str]]]:
    return redis.queue_client().xrange(keys.key(event_id, "journal"), count=count)


def delete_journal_entries(event_id: int, entries: Sequence[str]) -> None:
    redis.queue_client().xdel(keys.key(event_id, "journal"), *entries)


def blocks(event_id: int) -> dict[str, str]:
    """The reason for each blocked person."""
    return redis.queue_client().hgetall(keys.key(event_id, "blocked"))


def blocks_of_each(event_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    return _of_each(event_ids, "blocked", "hgetall")


def demotions_of_each(event_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    return _of_each(event_ids, "demoted", "hgetall")


def bypassing_of_each(event_ids: Sequence[int]) -> dict[int, set[str]]:
    return _of_each(event_ids, "bypass", "smembers")


def unverified_of_each(event_ids: Sequence[int]) -> dict[int, set[str]]:
    return _of_each(event_ids, "unverified", "smembers")


def people_of_each(event_ids: Sequence[int]) -> dict[int, int]:
    """How many are in the lobby, in line, called or inside, in one round trip."""
    names = ("lobby", "line", "ready", "inside")
    with redis.queue_client().pipeline(transaction=False) as pipe:
        for event_id in event_ids:
            for name in names:
                pipe.zcard(keys.key(event_id, name))
        sizes = batched(pipe.execute(), len(names))
    return dict(zip(event_ids, map(sum, sizes), strict=True))


def demotions(event_id: int) -> dict[str, str]:
    """`old number:batch:new number:reason` of everybody who was moved to the end of the line."""
    return redis.queue_client().hgetall(keys.key(event_id, "demoted"))


def is_demoted(event_id: int, person: str) -> bool:
    return bool(redis.queue_client().hexists(keys.key(event_id, "demoted"), person))


def own_invitation(event_id: int, person: str) -> Invitation | None:
    """The code that a person was given, if it can still be used."""
    client, key = redis.queue_client(), keys.own_code(event_id, person)
    code, left = client.get(key), client.pttl(key)
    return Invitation("invited", code, left) if code and left > 0 else None


def bypassing(event_id: int) -> set[str]:
    return redis.queue_client().smembers(keys.key(event_id, "bypass"))


def unverified(event_id: int) -> set[str]:
    """People who are not called until they verify who they are."""
    return redis.queue_client().smembers(keys.key(event_id, "unverified"))


def people_at_limit_of_each(event_ids: Sequence[int]) -> dict[int, set[str]]:
    return _of_each(event_ids, "at_limit", "smembers")


def replace_at_limit(event_id: int, known: set[str], wanted: set[str]) -> None:
    """Only the differences are written: nobody is missing from the set for a moment."""
    client, key = redis.queue_client(), keys.key(event_id, "at_limit")
    for part in batched(wanted - known, BATCH):
        client.sadd(key, *part)
    for part in batched(known - wanted, BATCH):
        client.srem(key, *part)


def block_reason(event_id: int, person: str) -> str | None:
    return redis.queue_client().hget(keys.key(event_id, "blocked"), person)


def unblock(event_id: int, person: str) -> bool:
    return bool(redis.queue_client().hdel(keys.key(event_id, "blocked"), person))


def person_with_number(event_id: int, number: int) -> str | None:
    """The person waiting in line with this number."""
    line = keys.key(event_id, "line")
    people: list[str] = redis.queue_client().zrangebyscore(line, number, number, start=0, num=1)
    return people[0] if people else None


def people_with_numbers(event_id: int, first: int, last: int, *, most: int) -> list[str]:
    """The people waiting in line with these numbers, in order."""
    line = keys.key(event_id, "line")
    return redis.queue_client().zrangebyscore(line, first, last, start=0, num=most)


def add_memberships(event_id: int, people: Iterable[str], now: datetime) -> None:
    """Note for many people that they are in this line."""
    for part in batched(people, BATCH):
        run_all([add_membership(event_id, person, now) for person in part])


def epoch_of(event_id: int) -> str | None:
    """The epoch of the line in Redis; None if Redis has no line."""
    return redis.queue_client().hget(keys.key(event_id, "meta"), "epoch")


def has_meta(event_id: int) -> bool:
    return bool(redis.queue_client().hexists(keys.key(event_id, "meta"), "epoch"))


def delete_meta(event_id: int) -> None:
    """Nobody can join until `configure` writes it again."""
    redis.queue_client().delete(keys.key(event_id, "meta"))


def erase(event_id: int) -> None:
    """Delete every key of an event's queue."""
    others = keys.last_tick_message(event_id), keys.pages(event_id)
    redis.queue_client().unlink(*keys.of_event(event_id), *others)


async def apeek_all(event_id: int, people: Sequence[str], now: datetime) -> dict[str, Standing]:
    standings: dict[str, Standing] = {}
    for part in batched(people, SCRIPT_BATCH):
        answers = await arun_all([peek(event_id, person, now) for person in part])
        standings |= zip(part, answers, strict=True)
    return standings


async def aheartbeat_all(event_id: int, people: Iterable[str], now: datetime) -> None:
    for part in batched(people, SCRIPT_BATCH):
        await arun(heartbeat(event_id, part, now))


async def alease_pages(
    event_id: int, pages: Sequence[tuple[str, int]], now: datetime, *, lease_ms: int
) -> list[int]:
    """The places of these pages, in their order."""
    places: list[int] = []
    for part in batched(pages, SCRIPT_BATCH):
        leased = await arun(lease_pages(event_id, part, now, lease_ms=lease_ms))
        places.extend(leased)
    return places


def batched(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    rest = iter(things)
    while part := list(islice(rest, size)):
        yield part
