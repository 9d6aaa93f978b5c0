"""Work on many people or whole keys, outside of the scripts."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from ticketing.core import redis
from waiting_queue import keys
from waiting_queue.store.line import add_membership, heartbeat, peek
from waiting_queue.store.results import Standing
from waiting_queue.store.scripts import arun, arun_all, run_all

# People in one command or script, so that Redis is never busy for long.
BATCH = 1_000
SCRIPT_BATCH = 200


def lobby_people(event_id: int, *, part: int = 5_000) -> list[str]:
    """Everybody in the lobby, in order of arrival."""
    people = dict(_members(keys.key(event_id, "lobby"), part))
    return sorted(people, key=lambda person: (people[person], person))


def line_numbers(event_id: int, *, part: int = 5_000) -> list[int]:
    """The numbers in line, ascending."""
    return sorted({int(number) for _, number in _members(keys.key(event_id, "line"), part)})


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
    return {person: int(mark.partition(":")[2]) for person, mark in found if mark}


def events_with_journal(event_ids: Sequence[int]) -> list[int]:
    """Those of these events whose journal has entries."""
    with redis.queue_client().pipeline(transaction=False) as pipe:
        for event_id in event_ids:
            pipe.xlen(keys.key(event_id, "journal"))
        lengths = pipe.execute()
    return [event_id for event_id, length in zip(event_ids, lengths, strict=True) if length]


def journal_entries(event_id: int, count: int) -> list[tuple[str, dict[str, str]]]:
    return redis.queue_client().xrange(keys.key(event_id, "journal"), count=count)


def delete_journal_entries(event_id: int, entries: Sequence[str]) -> None:
    redis.queue_client().xdel(keys.key(event_id, "journal"), *entries)


def restore(
    event_id: int, places: dict[str, dict[str, float]], marks: dict[str, str], counter: int
) -> None:
    """Write everybody back. The queue works again only after `configure` has written its meta."""
    client = redis.queue_client()
    for name, people in places.items():
        for part in batched(people.items(), BATCH):
            client.zadd(keys.key(event_id, name), dict(part))
    for part in batched(marks.items(), BATCH):
        client.hset(keys.key(event_id, "called"), mapping=dict(part))
    client.set(keys.key(event_id, "counter"), counter)


def restore_counts(event_id: int, counts: dict[str, int]) -> None:
    redis.queue_client().hset(keys.key(event_id, "meta"), mapping=counts)


def restore_blocks(event_id: int, reasons: dict[str, str]) -> None:
    if reasons:
        redis.queue_client().hset(keys.key(event_id, "blocked"), mapping=reasons)


def block_reason(event_id: int, person: str) -> str | None:
    return redis.queue_client().hget(keys.key(event_id, "blocked"), person)


def unblock(event_id: int, person: str) -> bool:
    return bool(redis.queue_client().hdel(keys.key(event_id, "blocked"), person))


def person_with_number(event_id: int, number: int) -> str | None:
    """The person waiting in line with this number."""
    line = keys.key(event_id, "line")
    people: list[str] = redis.queue_client().zrangebyscore(line, number, number, start=0, num=1)
    return people[0] if people else None


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
    redis.queue_client().unlink(*keys.of_event(event_id), keys.last_tick_message(event_id))


async def apeek_all(event_id: int, people: Sequence[str], now: datetime) -> dict[str, Standing]:
    standings: dict[str, Standing] = {}
    for part in batched(people, SCRIPT_BATCH):
        answers = await arun_all([peek(event_id, person, now) for person in part])
        standings |= zip(part, answers, strict=True)
    return standings


async def aheartbeat_all(event_id: int, people: Iterable[str], now: datetime) -> None:
    for part in batched(people, SCRIPT_BATCH):
        await arun(heartbeat(event_id, part, now))


def batched(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    rest = iter(things)
    while part := list(islice(rest, size)):
        yield part
