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
from ticketing.core.breaker import Breaker
from ticketing.core.metrics.machine import REDIS_THREADS


@cache
def breaker_of(address: Any) -> Breaker:
    """One for all pools of a server in this process."""
    return Breaker(RedisConnectionError, "redis")


def once_more() -> dict[str, Any]:
    """A connection that was closed while it was idle is opened again; nobody waits twice."""
    return {"retry": Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))}


class Suspicion:
    """Whether a pool has idle connections from before a silence.

    Another server may have taken over meanwhile, and each of them would cost a timeout.
    """

    breaker: Breaker
    _silences = 0

    def _is_to_begin_anew(self) -> bool:
        seen, self._silences = self._silences, self.breaker.times_opened
        return seen != self._silences


class Watched(Suspicion):
    """Part of a pool for threads that refuses while its breaker is open."""

    connection_class: Any

    def watch(self, breaker: Breaker) -> None:
        self.breaker = breaker
        self.connection_class = _watched(self.connection_class, breaker)

    def get_connection(self, *args: Any, **options: Any) -> Any:
        self.breaker.require_closed()
        if self._is_to_begin_anew():
            self.disconnect(inuse_connections=False)  # type: ignore[attr-defined]
        try:
            return super().get_connection(*args, **options)  # type: ignore[misc]
        except RedisTimeout:
            self.breaker.open()
            raise


class AsyncWatched(Suspicion):
    """The same for coroutines; who reads the answers reports to the breaker (`AutoPipeline`)."""

    async def get_connection(self, *args: Any, **options: Any) -> Any:
        self.breaker.require_closed()
        if self._is_to_begin_anew():
            await self.disconnect(inuse_connections=False)  # type: ignore[attr-defined]
        try:
            return await super().get_connection(*args, **options)  # type: ignore[misc]
        except RedisTimeout:
            self.breaker.open()
            raise


class BreakerPool(Watched, ConnectionPool):
    """For threads."""

    def __init__(self, connection_class: Any = None, **options: Any) -> None:
        chosen = {"connection_class": connection_class} if connection_class else {}
        super().__init__(**chosen, **options)
        self.watch(_breaker_for(options))


class AsyncBreakerPool(AsyncWatched, aioredis.ConnectionPool):
    """For coroutines."""

    def __init__(self, **options: Any) -> None:
        self.breaker = _breaker_for(options)
        super().__init__(**options)


def _breaker_for(options: dict[str, Any]) -> Breaker:
    address = options.get("path") or (options.get("host", "localhost"), options.get("port", 6379))
    return breaker_of(address)


def _watched(connection_class: Any, breaker: Breaker) -> Any:
    """The class, reporting to the breaker whether the server answers."""
    read: Callable[..., Any] = connection_class.read_response

    def read_response(self: Any, *args: Any, **options: Any) -> Any:
        # An answer that comes too late must not be taken for that of the next call. Connections by
        # Sentinel would stay open.
        options.setdefault("disconnect_on_error", True)
        began = clock.monotonic()
        try:
            answer = read(self, *args, **options)
        except RedisTimeout:
            breaker.open()
            raise
        breaker.close()
        REDIS_THREADS.note(clock.monotonic() - began)
        return answer

    return type(connection_class.__name__, (connection_class,), {"read_response": read_response})
