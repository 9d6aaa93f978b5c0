"""An outage of the queue's Redis; the other Redis servers stay reachable."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.test import override_settings

from ticketing.core import redis


@contextmanager
def no_queue_redis() -> Iterator[None]:
    redis.queue_client.cache_clear()
    try:
        with override_settings(QUEUE_REDIS_URL="redis://127.0.0.1:1/0"):
            yield
    finally:
        redis.queue_client.cache_clear()
