"""A Redis Cluster for coroutines: an auto-pipeline per node; a call goes to the node of its key.

redis-py's own client for coroutines closes connections that others are using when the cluster
changes, so that their calls end with an `AttributeError` or `RuntimeError`, and it lets everybody
wait for a silent node.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from redis.crc import key_slot
from redis.exceptions import ClusterDownError, MovedError, RedisError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeout

from ticketing.core import clock
from ticketing.core.auto_pipeline import AutoPipeline
from ticketing.core.metrics.machine import PoolUse

Address = tuple[str, int]
Owners = list[Address | None]  # which node serves a slot, by its number

SLOTS = 16_384
# Nodes that one call tries.
MAX_NODES = 3
# How often the nodes are asked who serves which slot, and how long a refused call waits for that.
READ_SECONDS, FIND_SECONDS = 0.1, 0.25


class ClusterPipeline:
    """The calls of `AutoPipeline`, on the nodes of a cluster.

    Which node serves which slot is read again after a node failed or named another one. A call that
    no node takes raises a `RedisError`; nobody waits for a failover.
    """

    def __init__(
        self, addresses: Sequence[Address], open_node: Callable[[Address], AutoPipeline]
    ) -> None:
        """Any of these addresses names the other nodes."""
        self._addresses, self._open_node = set(addresses), open_node
        self._nodes: dict[Address, AutoPipeline] = {}
        self._owners: Owners = [None] * SLOTS
        self._reading: asyncio.Task[None] | None = None
        self._read_at = 0.0

    def get(self, key: str) -> Awaitable[Any]:
        return self._send(key, "GET", key)

    def evalsha(self, sha: str, numkeys: int, *arguments: Any) -> Awaitable[Any]:
        return self._send(arguments[0], "EVALSHA", sha, numkeys, *arguments)

    def eval(self, script: str, numkeys: int, *arguments: Any) -> Awaitable[Any]:
        return self._send(arguments[0], "EVAL", script, numkeys, *arguments)

    def call(self, name: str, key: str, *arguments: Any) -> Awaitable[Any]:
        return self._send(key, name, key, *arguments)

    def use(self) -> PoolUse:
        uses = [node.use() for node in self._nodes.values()] or [PoolUse(0, 0, 0)]
        return PoolUse(*map(sum, zip(*uses, strict=True)))

    async def aclose(self) -> None:
        for node in self._nodes.values():
            await node.aclose()

    async def _send(self, key: str, *command: Any) -> Any:
        """Follow the slot to another node; every command here may be repeated."""
        slot = key_slot(key.encode())
        owner = self._owners[slot] or await self._find_owner(slot)
        for _ in range(MAX_NODES):
            try:
                return await self._node(owner).call(*command)
            except MovedError as moved:
                self._start_reading()
                self._owners[slot] = owner = (moved.host or owner[0], moved.port)
            except RedisConnectionError:
                failed, owner = owner, await self._find_owner(slot)
                if owner == failed:
                    raise
            except (ClusterDownError, RedisTimeout):
                self._start_reading()
                raise
        raise RedisConnectionError(f"The nodes of the cluster disagree on who serves slot {slot}")

    def _node(self, address: Address) -> AutoPipeline:
        if address not in self._nodes:
            self._nodes[address] = self._open_node(address)
        return self._nodes[address]

    async def _find_owner(self, slot: int) -> Address:
        """The node that serves the slot by now, as far as it is known soon."""
        patience = FIND_SECONDS if self._owners[slot] else None
        await asyncio.wait([self._start_reading()], timeout=patience)
        if owner := self._owners[slot]:
            return owner
        raise RedisConnectionError(f"No node of the cluster serves slot {slot}")

    def _start_reading(self) -> asyncio.Task[None]:
        """Callers of one moment share it."""
        is_due = clock.monotonic() >= self._read_at + READ_SECONDS
        if not self._reading or (self._reading.done() and is_due):
            self._reading = asyncio.create_task(self._read_owners())
        return self._reading

    async def _read_owners(self) -> None:
        """Ask all nodes at once, because one that is gone takes a timeout; the first answer counts.

        If there is none, what was known before stays.
        """
        asked = [asyncio.ensure_future(self._ask(address)) for address in self._addresses]
        for answer in asyncio.as_completed(asked):
            if owners := await answer:
                self._owners = owners
                break
        self._read_at = clock.monotonic()

    async def _ask(self, address: Address) -> Owners | None:
        try:
            ranges = await self._node(address).call("CLUSTER", "SLOTS")
        except RedisError:
            return None
        owners: Owners = [None] * SLOTS
        for first, last, *nodes in ranges:
            # A node that does not know its own address leaves it out.
            primary, *replicas = [(node[0] or address[0], node[1]) for node in nodes]
            owners[first : last + 1] = [primary] * (last + 1 - first)
            self._addresses.update([primary, *replicas])
        return owners
