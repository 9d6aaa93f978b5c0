"""Connection pools that refuse at once while their Redis is silent.

Without them everybody who asks a Redis that does not answer waits for the timeout. Here the first
one does, and until it answers again one caller a second.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from redis import asyncio as aioredis
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeout
from redis.retry import Retry

from ticketing.core import clock

OPEN_SECONDS = 1.0


class Breaker:
    """Opened by a timeout, closed by an answer; while open, one caller a second may try."""

    def __init__(self) -> None:
        self._open_until = 0.0

    def require_closed(self) -> None:
        if not self._open_until:
            return
        now = clock.monotonic()
        if now < self._open_until:
            raise RedisConnectionError("Redis does not answer; calls are paused for a moment")
        self._open_until = now + OPEN_SECONDS  # this caller tries, the others don't wait for it

    def open(self) -> None:
        self._open_until = clock.monotonic() + OPEN_SECONDS

    def close(self) -> None:
        self._open_until = 0.0


@cache
def breaker_of(address: Any) -> Breaker:
    """One for all pools of a server in this process."""
    return Breaker()


def once_more() -> dict[str, Any]:
    """A connection that was closed while it was idle is opened again; nobody waits twice."""
    return {"retry": Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))}


class BreakerPool(ConnectionPool):
    """For threads."""

    def __init__(self, connection_class: Any = None, **options: Any) -> None:
        self.breaker = _breaker_for(options)
        chosen = {"connection_class": connection_class} if connection_class else {}
        super().__init__(**chosen, **options)
        self.connection_class = _watched(self.connection_class, self.breaker)

    def get_connection(self, *args: Any, **options: Any) -> Any:
        self.breaker.require_closed()
        try:
            return super().get_connection(*args, **options)
        except RedisTimeout:
            self.breaker.open()
            raise


class AsyncBreakerPool(aioredis.ConnectionPool):
    """For coroutines."""

    def __init__(self, **options: Any) -> None:
        self.breaker = _breaker_for(options)
        super().__init__(**options)

    async def get_connection(self, *args: Any, **options: Any) -> Any:
        self.breaker.require_closed()
        try:
            return await super().get_connection(*args, **options)
        except RedisTimeout:
            self.breaker.open()
            raise


def _breaker_for(options: dict[str, Any]) -> Breaker:
    address = options.get("path") or (options.get("host", "localhost"), options.get("port", 6379))
    return breaker_of(address)


def _watched(connection_class: Any, breaker: Breaker) -> Any:
    """The class, reporting to the breaker whether the server answers."""
    read: Callable[..., Any] = connection_class.read_response

    def read_response(self: Any, *args: Any, **options: Any) -> Any:
        try:
            answer = read(self, *args, **options)
        except RedisTimeout:
            breaker.open()
            raise
        breaker.close()
        return answer

    return type(connection_class.__name__, (connection_class,), {"read_response": read_response})
