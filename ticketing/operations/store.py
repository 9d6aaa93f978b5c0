"""What an operator must know of the Redis servers, and emptying them before a restore."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings

from ticketing.core import clock, redis


def servers() -> dict[str, Any]:
    """Every Redis of this site by the setting that names it; the broker's only if it is another."""
    clients = {"REDIS_URL": redis.client()}
    if settings.QUEUE_REDIS_URL != settings.REDIS_URL:
        clients["QUEUE_REDIS_URL"] = redis.queue_client()
    return clients


def facts() -> Iterator[tuple[str, dict[str, Any]]]:
    """What each server says of itself; a cluster has one answer a node."""
    for name, client in servers().items():
        info: dict[str, Any] = client.info("all")
        if "redis_version" in info:
            yield name, info
        else:
            yield from ((f"{name}, {node}", one) for node, one in info.items())


def clock_difference() -> float:
    """Seconds that the clock of Redis is ahead of this machine's."""
    began = clock.now().timestamp()
    seconds, microseconds = redis.client().time()
    between = (began + clock.now().timestamp()) / 2
    return float(seconds) + float(microseconds) / 1_000_000 - between


def is_empty() -> bool:
    return not any(client.dbsize() for client in servers().values())


def clear() -> None:
    for client in servers().values():
        client.flushdb()
