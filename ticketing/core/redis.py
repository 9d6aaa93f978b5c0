"""Connections to Redis, one pool per process. Only stores and gates use them."""

import asyncio
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from redis import Redis, RedisCluster
from redis import asyncio as aioredis

CLUSTER = "redis+cluster://"
_async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()


def options() -> dict[str, Any]:
    return {
        "decode_responses": True,
        "socket_timeout": settings.REDIS_TIMEOUT,
        "socket_connect_timeout": settings.REDIS_TIMEOUT,
    }


@cache
def client() -> Redis:
    """The Redis of the seats, sessions and limits; answers are text."""
    return Redis.from_url(settings.REDIS_URL, health_check_interval=30, **options())


@cache
def queue_client() -> Any:
    """The Redis of the queue, which may be a cluster."""
    return _queue_client(Redis, RedisCluster)


def async_queue_client() -> Any:
    """The same for coroutines: connections belong to the event loop that made them."""
    loop = asyncio.get_running_loop()
    if loop not in _async_clients:
        _async_clients[loop] = _queue_client(aioredis.Redis, aioredis.RedisCluster)
    return _async_clients[loop]


def _queue_client(single: Any, cluster: Any) -> Any:
    url: str = settings.QUEUE_REDIS_URL
    if url.startswith(CLUSTER):
        return cluster.from_url(url.replace(CLUSTER, "redis://", 1), **options())
    return single.from_url(url, health_check_interval=30, **options())
