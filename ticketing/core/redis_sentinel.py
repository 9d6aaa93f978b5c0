"""Connection pools whose server is the one that Sentinel names as the primary.

Every new connection asks for it, and a connection to a server that has become a replica is given
up, so that callers follow a failover by themselves.
"""

from typing import Any

from redis.asyncio import sentinel as aiosentinel
from redis.backoff import NoBackoff
from redis.exceptions import TimeoutError as RedisTimeout
from redis.retry import Retry
from redis.sentinel import (
    MasterNotFoundError,
    Sentinel,
    SentinelConnectionPool,
    SentinelManagedConnection,
)

from ticketing.core.redis_breaker import AsyncWatched, Watched, breaker_of
from ticketing.core.server_addresses import SentinelAddress


class Sentinels(Sentinel):
    """Without a primary callers don't ask again at once: as with a silent server, it is a timeout
    that opens the breaker."""

    def discover_master(self, service_name: str) -> Any:
        try:
            return super().discover_master(service_name)
        except MasterNotFoundError as unknown:
            raise RedisTimeout(str(unknown)) from unknown


class AsyncSentinels(aiosentinel.Sentinel):
    async def discover_master(self, service_name: str) -> Any:
        try:
            return await super().discover_master(service_name)
        except aiosentinel.MasterNotFoundError as unknown:
            raise RedisTimeout(str(unknown)) from unknown


class PrimaryConnection(SentinelManagedConnection):
    """Asks for the primary also when it connects again in the middle of a call; redis-py would
    return to the server that has become a replica."""

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        if not self._sock:
            self.connect()
        super().send_packed_command(command, check_health)


class SentinelPool(Watched, SentinelConnectionPool):
    """For threads."""

    @classmethod
    def from_url(cls, url: str, **options: Any) -> "SentinelPool":
        address = SentinelAddress.parse(url)
        sentinels = Sentinels(address.sentinels, sentinel_kwargs=_asking(address, options))
        options |= {"connection_class": PrimaryConnection, **address.connection_options()}
        pool = cls(address.primary, sentinels, **options)
        pool.watch(breaker_of((address.sentinels, address.primary)))
        return pool


class AsyncSentinelPool(AsyncWatched, aiosentinel.SentinelConnectionPool):
    """For coroutines."""

    @classmethod
    def from_url(cls, url: str, **options: Any) -> "AsyncSentinelPool":
        address = SentinelAddress.parse(url)
        sentinels = AsyncSentinels(address.sentinels, sentinel_kwargs=_asking(address, options))
        pool = cls(address.primary, sentinels, **options, **address.connection_options())
        pool.breaker = breaker_of((address.sentinels, address.primary))
        return pool

    async def aclose(self) -> None:
        await super().aclose()
        await self.sentinel_manager.aclose()


def _asking(address: SentinelAddress, options: dict[str, Any]) -> dict[str, Any]:
    """Options of the connections to the Sentinels: to ask all of them takes one timeout."""
    timeout = (options.get("socket_connect_timeout") or 1) / len(address.sentinels)
    login = {"password": address.sentinel_password} if address.sentinel_password else {}
    return {
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "retry": Retry(NoBackoff(), 0),
        **login,
    }
