"""The whole site as its own processes, on servers of its own that may be killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from tests.servers import MIGRATED, Servers
from ticketing.development.embedded import process
from ticketing.development.embedded.paths import addresses
from ticketing.development.embedded.postgres import Postgres
from ticketing.development.embedded.servers import Server
from ticketing.development.embedded.valkey import Valkey
from ticketing.rehearsal.network.control import Network


class Site:
    """PostgreSQL, Valkey and the web server, each of which can be killed and started again."""

    network: Network | None = None

    def __init__(
        self,
        *,
        var: Path | None = None,
        workers: int = 1,
        settings: str = "ticketing.settings",
        with_network: bool = False,
    ) -> None:
        self.servers, self.workers = Servers(), workers
        self.servers.start(cluster=os.environ["TEST_CLUSTER"])
        reached = addresses(self.servers.var)
        self.env = os.environ | {
            "DJANGO_SETTINGS_MODULE": settings,
            "DATABASE_URL": f"{reached.database_url.rpartition('/')[0]}/{MIGRATED}",
            "REDIS_URL": reached.redis_url,
            "VAR_DIR": str(var or self.servers.var / "site"),
            "DEVELOPMENT": "1",
            "SECRET_KEY": "only-for-tests",
            "LOG_LEVEL": "WARNING",
        }
        self.web: subprocess.Popen[bytes] | None = None
        self.log = self.servers.var / "web.log"
        self.url = f"http://127.0.0.1:{free_port()}"
        if with_network:
            self.connect_network()

    def connect_network(self) -> None:
        """The web server reaches everything through a proxy."""
        paths = self.servers.paths
        self.network = Network(
            {
                "postgresql": str(paths.run / "postgres" / ".s.PGSQL.5432"),
                "valkey": str(paths.run / "valkey.sock"),
                "gateway": self.url.removeprefix("http://"),
            }
        )
        ports = self.network.ports
        self.env |= {
            "DATABASE_URL": f"postgresql://postgres@127.0.0.1:{ports['postgresql']}/{MIGRATED}",
            "REDIS_URL": f"redis://127.0.0.1:{ports['valkey']}/0",
            "PORTONE_URL": f"http://127.0.0.1:{ports['gateway']}/sandbox/portone",
        }

    @property
    def postgres(self) -> Postgres:
        return self.servers.postgres

    @property
    def valkey(self) -> Valkey:
        return self.servers.valkey

    def run(self, *command: str) -> str:
        """Run our Python in the site's environment and give back what it prints."""
        ran = subprocess.run(
            [sys.executable, *command], env=self.env, check=True, capture_output=True, text=True
        )
        return ran.stdout.strip()

    def start_web(self) -> None:
        port = self.url.rpartition(":")[2]
        options = ["--port", port, "--workers", str(self.workers), "--log-level", "warning"]
        command = [sys.executable, "-m", "uvicorn", "ticketing.asgi:application", *options]
        with self.log.open("wb") as log:
            self.web = process.start(
                [*command, "--no-access-log"], env=self.env, stdout=log, stderr=log, cwd=Path.cwd()
            )
        until(lambda: self.get("/readyz").status_code == 200, seconds=60)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=60, **options)

    def kill(self, server: Server) -> None:
        """As in a crash: open sessions are cut, nothing is saved."""
        assert server.child is not None
        server.child.send_signal(signal.SIGQUIT if isinstance(server, Postgres) else signal.SIGKILL)
        server.child.wait(60)

    def start_again(self, server: Server) -> None:
        server.prepare()
        server.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.wait_until_ready()

    def stop(self) -> None:
        if self.web:
            process.stop(self.web)
        if self.network:
            self.network.stop()
        self.servers.stop()


def until(true: Callable[[], bool], *, seconds: float) -> None:
    """Wait for something that becomes true by itself, but not for ever."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if true():
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < deadline, "it did not become true in time"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
