"""PostgreSQL as a primary and a synchronous streaming standby, which can take its place."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg
from redis.exceptions import RedisError

from bench.cluster.hosts import Host
from ticketing.development.embedded import process
from ticketing.development.embedded.paths import server_identity, server_paths
from ticketing.development.embedded.postgres import Postgres

OPTIONS = {
    "max_connections": "200",
    "shared_buffers": "128MB",
    "timezone": "UTC",
    "log_min_messages": "fatal",
    "unix_socket_directories": "",
    "wal_keep_size": "256MB",
    "wal_sender_timeout": "5s",
    "wal_receiver_timeout": "5s",
    "wal_retrieve_retry_interval": "500ms",
}
TRUST = "host all all 0.0.0.0/0 trust\nhost replication all 0.0.0.0/0 trust\n"


@dataclass
class PostgresNode:
    """One server on one host."""

    host: Host
    port: int = 5432

    @property
    def data(self) -> Path:
        return self.host.folder / "postgres"

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{self.host.address}:{self.port}/ticketing"

    def create(self) -> None:
        """An empty cluster that lets everybody on its network in."""
        self._postgres()._initdb()
        with (self.data / "pg_hba.conf").open("a") as rules:
            rules.write(TRUST)

    def copy(self, primary: "PostgresNode") -> None:
        """Become a standby of the primary, from a fresh copy of it."""
        shutil.rmtree(self.data, ignore_errors=True)
        source = f"host={primary.host.address} port={primary.port} user=postgres"
        code, output = process.run(
            [
                *(self._binary("pg_basebackup"), "-D", self.data, "--checkpoint=fast"),
                *("--wal-method=stream", "--write-recovery-conf", "--no-sync"),
                *("-d", f"{source} application_name={self.host.name}"),
            ],
            **server_identity(),
        )
        assert code == 0, output

    def start(self) -> None:
        options = OPTIONS | {"listen_addresses": self.host.address, "port": str(self.port)}
        given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        command: list[str | Path] = [self._binary("postgres"), "-D", self.data, *given]
        self.host.start("postgres", command, as_server=True)
        wait_until(self.is_ready)

    def is_ready(self) -> bool:
        """By its pid file, which says “standby” while it may only be read."""
        words = (self.data / "postmaster.pid").read_text().split()
        return "ready" in words or "standby" in words

    def promote(self) -> None:
        assert self.value("SELECT pg_promote(true, 30)") == "t"

    def follow(self, standby: "PostgresNode | None") -> None:
        """Let commits wait for this standby, or for none."""
        name = f'"{standby.host.name}"' if standby else ""
        self.value(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        self.value("SELECT pg_reload_conf()")
        if standby:
            wait_until(lambda: self.value("SELECT sync_state FROM pg_stat_replication") == "sync")

    def value(self, statement: str) -> str:
        """The first value of the first row as text."""
        url = self.url.rpartition("/")[0] + "/postgres"
        with psycopg.connect(url, connect_timeout=3, autocommit=True) as connection:
            cursor = connection.execute(statement)
            row = cursor.fetchone() if cursor.description else None
        return {True: "t", False: "f"}.get(row[0], str(row[0])) if row else ""

    def _postgres(self) -> Postgres:
        return Postgres(server_paths(self.host.folder))

    def _binary(self, name: str) -> Path:
        return self._postgres()._binary(name)


class PostgresPair:
    """A primary whose commits wait for the standby."""

    def __init__(self, primary: PostgresNode, standby: PostgresNode) -> None:
        self.primary, self.standby = primary, standby

    def start(self) -> None:
        self.primary.create()
        self.primary.start()
        self.primary.value("CREATE DATABASE ticketing")
        self.join()

    def join(self) -> None:
        """Start the other server as the primary's standby."""
        self.standby.copy(self.primary)
        self.standby.start()
        self.primary.follow(self.standby)

    def fail_over(self) -> None:
        """The standby takes over. The old primary must be down, or it would go on by itself."""
        self.primary, self.standby = self.standby, self.primary
        self.primary.promote()
        self.primary.follow(None)


def wait_until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not _is(true):
        assert time.monotonic() < deadline, f"{true} did not become true in time"
        time.sleep(0.05)


def _is(true: Callable[[], bool]) -> bool:
    try:
        return true()
    except (OSError, psycopg.Error, RedisError):
        return False
