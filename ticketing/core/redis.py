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
from redis.asyncio.connection import parse_url
from redis.cluster import ClusterNode

from ticketing.core.auto_pipeline import AutoPipeline
from ticketing.core.event_loop import at_end
from ticketing.core.metrics.machine import pools
from ticketing.core.redis_breaker import AsyncBreakerPool, BreakerPool, once_more
from ticketing.core.redis_cluster import Address, ClusterPipeline
from ticketing.core.redis_sentinel import AsyncSentinelPool, SentinelPool
from ticketing.core.server_addresses import CLUSTER, REDIS_PORT, SENTINEL, cluster_nodes

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
    return _connected(settings.QUEUE_REDIS_URL, _client, _cluster_client)


def async_client() -> AutoPipeline:
    """The Redis of the sessions for coroutines, which share its round trips."""
    return _async_client(settings.REDIS_URL)


def async_queue_client() -> Any:
    """The Redis of the queue for coroutines."""
    return _async_client(settings.QUEUE_REDIS_URL)


def _async_client(url: str) -> Any:
    clients = _async_clients.setdefault(asyncio.get_running_loop(), {})
    if url not in clients:
        clients[url] = _connected(url, _auto_pipeline, _cluster_pipeline)
    return clients[url]


def _client(url: str, **choices: Any) -> Redis:
    pools: Any = SentinelPool if url.startswith(SENTINEL) else BreakerPool
    return Redis.from_pool(pools.from_url(url, **choices))


def _cluster_client(url: str, **choices: Any) -> RedisCluster:
    """Every node has a breaker of its own."""
    first, others = cluster_nodes(url)
    nodes = [ClusterNode(*node) for node in others]
    choices |= {"startup_nodes": nodes, "connection_pool_class": BreakerPool}
    return RedisCluster.from_url(first, **choices)


def _cluster_pipeline(url: str, **choices: Any) -> ClusterPipeline:
    """Every node has a breaker of its own."""
    first, others = cluster_nodes(url)
    given: dict[str, Any] = {"port": REDIS_PORT, **parse_url(first), **choices}

    def open_node(address: Address) -> AutoPipeline:
        pool = AsyncBreakerPool(**given | {"host": address[0], "port": address[1]})
        return AutoPipeline(aioredis.Redis.from_pool(pool))

    pipeline = ClusterPipeline([(given["host"], given["port"]), *others], open_node)
    pools["queue_redis"] = pipeline.use
    return pipeline


def _auto_pipeline(url: str, **choices: Any) -> AutoPipeline:
    pipeline = AutoPipeline(_coroutine_client(url, **choices))
    pools["redis" if url == settings.REDIS_URL else "queue_redis"] = pipeline.use
    at_end(pipeline.flush)
    return pipeline


def _coroutine_client(url: str, **choices: Any) -> aioredis.Redis:
    pools: Any = AsyncSentinelPool if url.startswith(SENTINEL) else AsyncBreakerPool
    return aioredis.Redis.from_pool(pools.from_url(url, **choices))


def database() -> int:
    """The number of the sessions' database: several sites may share a server."""
    return int(client().connection_pool.connection_kwargs.get("db") or 0)


@asynccontextmanager
async def listening(channel: str) -> AsyncIterator[AsyncIterator[str]]:
    """The messages of a channel. It ends when none came for a while, so that the caller subscribes
    again: a server that vanished sends nothing either."""
    choices = options() | {"socket_timeout": None}
    connection = _coroutine_client(settings.REDIS_URL, health_check_interval=30, **choices)
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
    connect = cluster if url.startswith(CLUSTER) else single
    return connect(url, health_check_interval=30, **options())
