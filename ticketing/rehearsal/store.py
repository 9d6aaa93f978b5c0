"""What is left of a rehearsal in Redis: found by walking over every key, which nobody else does.

Only a clean-up does it, in small steps that keep nobody waiting; names that nobody thought of are
found, too.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.conf import settings

from ticketing.accounts import sessions
from ticketing.core import redis

STEP = 1_000
LINES = "queue:p:{"


@dataclass(frozen=True)
class Traces:
    """By which keys are known: words that are in them, people, and sessions."""

    words: Collection[str]
    people: frozenset[str]
    sessions: frozenset[str]

    def are_in(self, key: str) -> bool:
        if key.startswith(LINES):
            return key.removeprefix(LINES).rstrip("}") in self.people
        if key.startswith(sessions.cache_prefix()):
            return key.removeprefix(sessions.cache_prefix()) in self.sessions
        return any(word in key for word in self.words)


def sweep(traces: Traces) -> int:
    """Remove what there is. How many keys there were."""
    removed = 0
    for client in _clients():
        for part in _parts(client, traces):
            pipeline = client.pipeline(transaction=False)
            for key in part:
                pipeline.unlink(key)
            pipeline.execute()
            removed += len(part)
    return removed


def count(traces: Traces) -> int:
    return sum(len(part) for client in _clients() for part in _parts(client, traces))


def _clients() -> list[Any]:
    shared = settings.QUEUE_REDIS_URL == settings.REDIS_URL
    return [redis.client()] if shared else [redis.client(), redis.queue_client()]


def _parts(client: Any, traces: Traces) -> Iterator[list[str]]:
    found = (key for key in client.scan_iter(count=STEP) if traces.are_in(key))
    while part := list(islice(found, STEP)):
        yield _without_marks(client, part)


def _without_marks(client: Any, keys: list[str]) -> list[str]:
    """The mark of a session that was ended stays: for a minute it keeps stragglers out."""
    copies = [key for key in keys if key.startswith(sessions.cache_prefix())]
    values = client.mget(copies) if copies else []
    mark = f'"{sessions.ENDED}"'
    ended = {key for key, value in zip(copies, values, strict=True) if value == mark}
    return [key for key in keys if key not in ended]
