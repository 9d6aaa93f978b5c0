"""Finds and deletes a rehearsal's Redis keys by walking over the whole keyspace.

Only a clean-up does this, in small steps that do not block Redis. Walking over all keys also finds
those whose names nobody thought of.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.conf import settings

from ticketing.accounts.selectors import ENDED, cache_prefix
from ticketing.core import redis

STEP = 1_000
PERSON_KEYS = "queue:p:{"


@dataclass(frozen=True)
class KeyFilter:
    """Matches keys of these people and sessions, and keys that contain one of these substrings."""

    substrings: Collection[str]
    people: frozenset[str]
    sessions: frozenset[str]

    def matches(self, key: str) -> bool:
        if key.startswith(PERSON_KEYS):
            return key.removeprefix(PERSON_KEYS).rstrip("}") in self.people
        if key.startswith(cache_prefix()):
            return key.removeprefix(cache_prefix()) in self.sessions
        return any(substring in key for substring in self.substrings)


def delete_keys(wanted: KeyFilter) -> int:
    """Delete the matching keys and return how many there were."""
    deleted = 0
    for client in _clients():
        for keys in _matching_keys(client, wanted):
            pipeline = client.pipeline(transaction=False)
            for key in keys:
                pipeline.unlink(key)
            pipeline.execute()
            deleted += len(keys)
    return deleted


def count_keys(wanted: KeyFilter) -> int:
    return sum(len(keys) for client in _clients() for keys in _matching_keys(client, wanted))


def _clients() -> list[Any]:
    shared = settings.QUEUE_REDIS_URL == settings.REDIS_URL
    return [redis.client()] if shared else [redis.client(), redis.queue_client()]


def _matching_keys(client: Any, wanted: KeyFilter) -> Iterator[list[str]]:
    matching = (key for key in client.scan_iter(count=STEP) if wanted.matches(key))
    while keys := list(islice(matching, STEP)):
        yield _without_ended_sessions(client, keys)


def _without_ended_sessions(client: Any, keys: list[str]) -> list[str]:
    """Keep the marks of ended sessions: for a minute they refuse late requests."""
    copies = [key for key in keys if key.startswith(cache_prefix())]
    values = client.mget(copies) if copies else []
    mark = f'"{ENDED}"'
    ended = {key for key, value in zip(copies, values, strict=True) if value == mark}
    return [key for key in keys if key not in ended]
