"""Connections to Redis, one pool per process. Only stores and gates use them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from redis import Redis, RedisCluster
from redis import asyncio as aioredis

from ticketing.core.auto_pipeline import AutoPipeline
from ticketing.core.redis_breaker import AsyncBreakerPool, BreakerPool, once_more

CLUSTER = "redis+cluster://"
SILENCE_SECONDS = 20.0
# By event loop, because a connection belongs to the loop that opened it; then by address.
_async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Any]] = WeakKeyDictionary()


def options() -> dict[str, Any]:
    return {
        "decode_responses": True,
        "socket_timeout": settings.REDIS_TIMEOUT,
        "socket_connect_timeout": settings.REDIS_TIMEOUT,
        **once_more(),
    }


@cache
def client() -> Redis:
    """The Redis of the seats, sessions and limits; answers are text."""
    return _client(settings.REDIS_URL, health_check_interval=30, **options())


@cache
def queue_client() -> Any:
    """The Redis of the queue, which may be a cluster."""
    return _connected(settings.QUEUE_REDIS_URL, _client, RedisCluster.from_url)


def async_client() -> AutoPipeline:
    """The Redis of the sessions for coroutines, which share its round trips."""
    return _async_client(settings.REDIS_URL)


def async_queue_client() -> Any:
    """The Redis of the queue for coroutines."""
    return _async_client(settings.QUEUE_REDIS_URL)


def _async_client(url: str) -> Any:
    clients = _async_clients.setdefault(asyncio.get_running_loop(), {})
    if url not in clients:
        clients[url] = _connected(url, _auto_pipeline, aioredis.RedisCluster.from_url)
    return clients[url]


def _client(url: str, **choices: Any) -> Redis:
    return Redis.from_pool(BreakerPool.from_url(url, **choices))


def _auto_pipeline(url: str, **choices: Any) -> AutoPipeline:
    return AutoPipeline(aioredis.Redis.from_pool(AsyncBreakerPool.from_url(url, **choices)))


def database() -> int:
    """The number of the sessions' database: several sites may share a server."""
    return int(client().connection_pool.connection_kwargs.get("db") or 0)


@asynccontextmanager
async def listening(channel: str) -> AsyncIterator[AsyncIterator[str]]:
    """The messages of a channel. It ends when none came for a while, so that the caller subscribes
    again: a server that vanished sends nothing either."""
    choices = options() | {"socket_timeout": None}
    connection = aioredis.Redis.from_url(settings.REDIS_URL, health_check_interval=30, **choices)
    async with connection, connection.pubsub() as pubsub:
        await pubsub.subscribe(channel)
        yield _messages(pubsub)


async def _messages(pubsub: Any) -> AsyncIterator[str]:
    while message := await pubsub.get_message(timeout=SILENCE_SECONDS):
        if message["type"] == "message":  # not the confirmation of the subscription
            yield message["data"]


async def close_async_clients() -> None:
    """Close the clients of this event loop, before it ends."""
    for client in _async_clients.pop(asyncio.get_running_loop(), {}).values():
        await client.aclose()


def _connected(url: str, single: Any, cluster: Any) -> Any:
    if url.startswith(CLUSTER):
        return cluster(url.replace(CLUSTER, "redis://", 1), **options())
    return single(url, health_check_interval=30, **options())
