"""Three Valkeys from the wheel that are one cluster, with replicas on request."""

import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from tests.faults.site import free_port
from tests.waiting import wait_until
from ticketing.development.embedded import process
from ticketing.development.embedded.paths import server_identity, server_paths
from ticketing.development.embedded.valkey import Valkey

SLOTS = [(0, 5_460), (5_461, 10_922), (10_923, 16_383)]
OPTIONS = ["--cluster-enabled", "yes", "--save", "", "--appendonly", "no", "--loglevel", "warning"]
# A replica takes over after about two seconds.
FAST_FAILOVER = ["--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0"]
FAST_FAILOVER += ["--shutdown-timeout", "0"]


class Cluster:
    """On the loopback, on ports that happened to be free; nothing of it stays."""

    def __init__(self, *, replicas: int = 0) -> None:
        """The first primaries have one replica each."""
        self.folder = Path(tempfile.mkdtemp(prefix="ticketing-test-"))
        self.folder.chmod(0o777)
        self.size = len(SLOTS) + replicas
        self.ports: list[int] = []
        self.buses: dict[int, int] = {}
        self.nodes: list[subprocess.Popen[bytes]] = []

    @property
    def url(self) -> str:
        return f"redis+cluster://127.0.0.1:{self.ports[0]}"

    def start(self) -> None:
        wait_until(self._start_nodes)
        clients = [Redis(port=port, socket_timeout=5) for port in self.ports]
        for epoch, client in enumerate(clients, start=1):  # equal ones would be told apart later,
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", epoch)  # in the midst of a failover
        for client, (first, last) in zip(clients, SLOTS, strict=False):
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
        wait_until(lambda: self._have_met(clients))
        for primary, replica in zip(clients, clients[len(SLOTS) :], strict=False):
            replica.execute_command("CLUSTER REPLICATE", primary.execute_command("CLUSTER MYID"))
            wait_until(lambda replica=replica: follows(replica))

    def _start_nodes(self) -> bool:
        """False if somebody else took a port meanwhile, which ends the node that wanted it."""
        for node in self.nodes:
            process.stop(node)
        self.ports = [free_port() for _ in range(self.size)]
        self.buses = {port: free_port() for port in self.ports}
        self.nodes = [self._start_node(port) for port in self.ports]
        clients = [Redis(port=port, socket_timeout=5) for port in self.ports]
        wait_until(lambda: self._has_lost_a_node() or all(_answers(client) for client in clients))
        return not self._has_lost_a_node()

    def _has_lost_a_node(self) -> bool:
        return any(node.poll() is not None for node in self.nodes)

    def flush(self) -> None:
        for port in self.ports[: len(SLOTS)]:
            Redis(port=port).flushall()

    def node_of(self, port: int) -> subprocess.Popen[bytes]:
        return self.nodes[self.ports.index(port)]

    def stop(self) -> None:
        for node in self.nodes:  # a test may have stopped some
            node.send_signal(signal.SIGCONT)
        for node in self.nodes:
            process.stop(node)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _have_met(self, clients: list[Redis]) -> bool:
        """A node that does not answer within a second is forgotten, and has to be asked again."""
        known = str(clients[0].execute_command("CLUSTER NODES"))
        for port in self.ports[1:]:
            if f"127.0.0.1:{port}" not in known:
                clients[0].execute_command("CLUSTER MEET", "127.0.0.1", port, self.buses[port])
        return all(self._is_whole(client) for client in clients)

    def _is_whole(self, client: Redis) -> bool:
        info = client.execute_command("CLUSTER INFO")
        known = info if isinstance(info, dict) else {}
        nodes = int(known.get("cluster_known_nodes", 0))
        return known.get("cluster_state") == "ok" and nodes == len(self.ports)

    def _start_node(self, port: int) -> subprocess.Popen[bytes]:
        binary = Valkey(server_paths(self.folder))._binary()
        bus = ["--cluster-port", str(self.buses[port]), "--cluster-config-file", f"{port}.conf"]
        where = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        with (self.folder / f"{port}.log").open("wb") as log:
            return process.start(
                [binary, *where, *OPTIONS, *FAST_FAILOVER, *bus],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **server_identity(),
            )


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False


def follows(replica: Redis) -> bool:
    """Whether it is a replica that has everything of its primary."""
    known: Any = replica.info("replication")
    return known["role"] == "slave" and known["master_link_status"] == "up"
