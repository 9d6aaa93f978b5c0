"""Connections to Redis, one pool per process. Only stores and gates use them."""

from functools import cache

from django.conf import settings
from redis import Redis


@cache
def client() -> Redis:
    """The queue's and the seats' Redis; answers are text."""
    return Redis.from_url(
        settings.REDIS_URL,
        decode_responses=True,
        socket_timeout=settings.REDIS_TIMEOUT,
        socket_connect_timeout=settings.REDIS_TIMEOUT,
        health_check_interval=30,
    )
