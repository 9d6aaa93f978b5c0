"""Valkey as a primary with replicas that Sentinel watches, and as a cluster of six."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from bench.cluster.hosts import Host
from bench.cluster.postgres import wait_until
from ticketing.development.embedded.paths import server_paths
from ticketing.development.embedded.valkey import Valkey

PRIMARY = "ticketing"
# A primary that no replica hears refuses to write: what it took would be lost after the failover.
SAFE = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "5")
DURABLE = ("--appendonly", "yes", "--appendfsync", "everysec", "--save", "")
# A replica gets its copy at once.
SYNC = ("--repl-diskless-sync-delay", "0")
QUIET = ("--maxmemory-policy", "noeviction", "--loglevel", "warning", "--protected-mode", "no")
SENTINEL = """\
port {port}
bind {address}
dir {folder}
protected-mode no
loglevel warning
sentinel monitor {name} {primary} {primary_port} {quorum}
sentinel down-after-milliseconds {name} {down_after}
sentinel failover-timeout {name} 5000
sentinel parallel-syncs {name} 2
"""
SLOTS = 16_384


@dataclass
class ValkeyNode:
    host: Host
    port: int

    @property
    def client(self) -> Redis:
        once = Retry(NoBackoff(), 0)
        address = (self.host.address, self.port)
        return Redis(*address, socket_timeout=3, decode_responses=True, retry=once)

    @property
    def name(self) -> str:
        return f"valkey-{self.port}"

    def start(self, *options: str) -> None:
        folder = self.host.folder / self.name
        folder.mkdir(exist_ok=True)
        where = ["--port", str(self.port), "--bind", self.host.address, "--dir", str(folder)]
        self.host.start(self.name, [binary(self.host), *where, *DURABLE, *SYNC, *QUIET, *options])

    def answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except RedisError:
            return False

    def is_primary(self) -> bool:
        return self._replication()["role"] == "master"

    def replicas_online(self) -> int:
        """Replicas that have everything and follow."""
        known = self._replication()
        numbers = range(known["connected_slaves"])
        return sum(known[f"slave{n}"]["state"] == "online" for n in numbers)

    def _replication(self) -> dict[str, Any]:
        found: Any = self.client.info("replication")
        return found


class SentinelGroup:
    """One Valkey and one Sentinel on each host; the first Valkey begins as the primary."""

    def __init__(
        self, hosts: Sequence[Host], *, port: int, sentinel_port: int, down_after: int = 2000
    ) -> None:
        self.nodes = [ValkeyNode(host, port + n) for n, host in enumerate(hosts)]
        self.sentinels = [ValkeyNode(host, sentinel_port + n) for n, host in enumerate(hosts)]
        self.down_after = down_after

    @property
    def replicas(self) -> int:
        return len(self.nodes) - 1

    @property
    def url(self) -> str:
        names = ",".join(f"{each.host.address}:{each.port}" for each in self.sentinels)
        return f"redis+sentinel://{names}/{PRIMARY}/0"

    def start(self) -> None:
        for node in self.nodes:
            self.start_node(node)
        # A Sentinel that finds no replicas at first looks again after ten seconds.
        wait_until(lambda: self.nodes[0].replicas_online() == self.replicas)
        for sentinel in self.sentinels:
            self.start_sentinel(sentinel)
        wait_until(self.is_complete)

    def start_node(self, node: ValkeyNode) -> None:
        """As a replica of who is the primary now; the first node of all begins as the primary."""
        known = self.primary()
        begins = known is None and node is self.nodes[0]
        source = known or self.nodes[0]
        address = f"{source.host.address} {source.port}"
        node.start(*SAFE, *(() if begins or source is node else ("--replicaof", address)))

    def start_sentinel(self, sentinel: ValkeyNode) -> None:
        folder = sentinel.host.folder / f"sentinel-{sentinel.port}"
        file = folder / "sentinel.conf"
        if not file.exists():  # it keeps in the file what it has learnt
            folder.mkdir(exist_ok=True)
            first = self.nodes[0]
            file.write_text(SENTINEL.format(
                port=sentinel.port, address=sentinel.host.address, folder=folder, name=PRIMARY,
                primary=first.host.address, primary_port=first.port,
                quorum=len(self.sentinels) // 2 + 1, down_after=self.down_after,
            ))  # fmt: skip
        command: list[str | Path] = [binary(sentinel.host), file, "--sentinel"]
        sentinel.host.start(f"sentinel-{sentinel.port}", command)

    def primary(self) -> ValkeyNode | None:
        """The node that most Sentinels name."""
        named = [each for sentinel in self.sentinels if (each := _named_by(sentinel))]
        best = max(set(named), key=named.count, default=None)
        return next((n for n in self.nodes if (n.host.address, n.port) == best), None)

    def is_complete(self) -> bool:
        """One primary with all the others as replicas, and every Sentinel knows all."""
        primary = self.primary()
        if primary is None or not all(node.answers() for node in self.nodes):
            return False
        return (
            primary.is_primary()
            and primary.replicas_online() == self.replicas
            and all(self._knows_all(sentinel) for sentinel in self.sentinels)
        )

    def _knows_all(self, sentinel: ValkeyNode) -> bool:
        known: Any = sentinel.client.sentinel_master(PRIMARY)
        return (
            known["num-slaves"] >= self.replicas
            and known["num-other-sentinels"] == len(self.sentinels) - 1
            and not known["is_sdown"]
        )


class ValkeyCluster:
    """Three primaries with a replica each, two nodes on each host."""

    def __init__(self, hosts: Sequence[Host], *, port: int) -> None:
        self.primaries = [ValkeyNode(host, port) for host in hosts]
        # A replica is on another host than its primary.
        shifted = [*hosts[1:], hosts[0]]
        self.replicas = [ValkeyNode(host, port + 1) for host in shifted]
        self.nodes = [*self.primaries, *self.replicas]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"{n.host.address}:{n.port}" for n in self.primaries)

    def start(self) -> None:
        for node in self.nodes:
            self.start_node(node)
        wait_until(lambda: all(node.answers() for node in self.nodes))
        first, share = self.primaries[0], -(-SLOTS // len(self.primaries))
        for number, node in enumerate(self.primaries):
            last = min((number + 1) * share, SLOTS) - 1
            node.client.execute_command("CLUSTER ADDSLOTSRANGE", number * share, last)
        for node in self.nodes[1:]:
            first.client.execute_command("CLUSTER MEET", node.host.address, node.port)
        wait_until(lambda: all(self._known(node) == len(self.nodes) for node in self.nodes))
        for primary, replica in zip(self.primaries, self.replicas, strict=True):
            replica.client.execute_command("CLUSTER REPLICATE", _id(primary))
        wait_until(self.is_complete)

    def start_node(self, node: ValkeyNode) -> None:
        timeout = ("--cluster-node-timeout", "2000")
        node.start("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", *timeout)

    def is_complete(self) -> bool:
        """All slots are served, and every primary has a replica that is connected."""
        primaries = [node for node in self.nodes if node.answers() and node.is_primary()]
        return len(primaries) == len(self.primaries) and all(
            _cluster_info(node)["cluster_state"] == "ok" and node.replicas_online() == 1
            for node in primaries
        )

    def restore_primaries(self, seconds: float) -> None:
        """One on each host again: with two of three gone, nobody could be elected."""
        for node in self.primaries:
            if not node.is_primary():
                node.client.execute_command("CLUSTER FAILOVER")
        wait_until(lambda: all(node.is_primary() for node in self.primaries), seconds)

    def _known(self, node: ValkeyNode) -> int:
        return int(_cluster_info(node)["cluster_known_nodes"])


def binary(host: Host) -> Path:
    return Valkey(server_paths(host.folder))._binary()


def _named_by(sentinel: ValkeyNode) -> tuple[str, int] | None:
    try:
        found: Any = sentinel.client.sentinel_get_master_addr_by_name(PRIMARY)
    except RedisError:
        return None
    return (found[0], int(found[1])) if found else None


def _id(node: ValkeyNode) -> str:
    return str(node.client.execute_command("CLUSTER MYID"))


def _cluster_info(node: ValkeyNode) -> dict[str, str]:
    found: Any = node.client.execute_command("CLUSTER INFO")
    return found
