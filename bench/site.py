"""The servers of a benchmark, and the site on them. Durable unless asked otherwise."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

from bench import machine
from bench.options import Options
from bench.report import Report
from tests.faults.site import free_port, until
from tests.servers import MIGRATED, copy, fast_folder
from ticketing.development.embedded import process
from ticketing.development.embedded.paths import addresses, server_paths
from ticketing.development.embedded.postgres import Postgres
from ticketing.development.embedded.valkey import Valkey

STATEMENT_COUNTER = "shared_preload_libraries = 'pg_stat_statements'\n"


def data_folder(*, volatile: bool) -> Path:
    """On the disk of VAR_DIR; a volatile run uses memory where there is room."""
    folder = fast_folder() if volatile else None
    if folder is None:
        folder = Path(os.environ.get("VAR_DIR", "var")).absolute() / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="bench-", dir=folder))
    made.chmod(0o755)
    return made


class BenchSite:
    """PostgreSQL, Valkey, and as much of the site as a benchmark starts."""

    def __init__(
        self,
        options: Options,
        *,
        settings: str = "bench.settings",
        counts_statements: bool = False,
        **env: str,
    ) -> None:
        self.processes = options.processes
        self.var = data_folder(volatile=options.volatile)
        self.paths = server_paths(self.var)
        self.postgres = Postgres(self.paths, disposable=options.volatile)
        self.valkey = Valkey(self.paths, disposable=options.volatile)
        self.children: list[subprocess.Popen[bytes]] = []
        self.url = f"http://127.0.0.1:{free_port()}"
        self.log = self.var / "site.log"
        reached = addresses(self.var)
        self.env = os.environ | {
            "DJANGO_SETTINGS_MODULE": settings,
            "DATABASE_URL": reached.database_url,
            "REDIS_URL": reached.redis_url,
            "VAR_DIR": str(self.var / "site"),
            "HOST": "127.0.0.1",
            "PORT": self.url.rpartition(":")[2],
            "WEB_PROCESSES": str(self.processes),
            "DEVELOPMENT": "1",
            "SECRET_KEY": "only-for-benchmarks",
            "LOG_LEVEL": "WARNING",
            "CHALLENGE": "off",  # a crowd from one machine would solve them instead of the site
            "SOCKETS_PER_ADDRESS": "0",  # and has few addresses
            **env,
        }
        # Those of the tests, which have a migrated database: to migrate one takes ten seconds.
        cluster = os.environ.get("TEST_CLUSTER") if options.volatile else None
        self._start_servers(cluster, counts_statements=counts_statements)
        # Django in this process is set up with the same servers.
        os.environ.update(self.env)

    def _start_servers(self, cluster: str | None, *, counts_statements: bool) -> None:
        if cluster:
            copy(Path(cluster), self.postgres.cluster)
        for server in (self.postgres, self.valkey):
            server.prepare()
            if counts_statements and server is self.postgres:
                with (self.postgres.cluster / "postgresql.conf").open("a") as conf:
                    conf.write(STATEMENT_COUNTER)
            with (self.var / f"{server.name}.log").open("wb") as log:
                server.start(stdout=log, stderr=subprocess.STDOUT)
        for server in (self.postgres, self.valkey):
            server.wait_until_ready()
        self.postgres.create_database("ticketing", template=MIGRATED if cluster else "template1")

    def header(self) -> dict[str, Any]:
        return machine.header(
            database_url=self.env["DATABASE_URL"],
            redis_url=self.env["REDIS_URL"],
            folder=self.paths.data,
            processes=self.processes,
        )

    def report(self, name: str) -> Report:
        """A report that has begun with what its run is like."""
        report = Report(name)
        report.begin(self.header())
        return report

    # -- processes --------------------------------------------------------------------------------

    def start(self, command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a process of the site; `stop` ends it."""
        with self.log.open("ab") as log:
            child = process.start(
                [sys.executable, *command], env=self.env, stdout=log, stderr=log, **options
            )
        self.children.append(child)
        return child

    def start_web(self, *command: str) -> None:
        """Only the server processes, which share one listening socket as in `manage.py up`."""
        command = command or ("manage.py", "serve", "--fd")
        port = int(self.env["PORT"])
        with socket.create_server(("127.0.0.1", port), backlog=4096) as listener:
            listener.set_inheritable(True)
            fd = listener.fileno()
            for _ in range(self.processes):
                self.start([*command, str(fd)], pass_fds=[fd])
        self.wait_until_ready()

    def start_everything(self) -> None:
        """What `make run` starts: web, workers, ticker and beat."""
        self.start(["manage.py", "up"])
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        until(lambda: self.get("/readyz").status_code == 200, seconds=180)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=20, **options)

    def cpu(self) -> float:
        """Processor seconds of the processes that were started here."""
        return sum(machine.cpu_seconds(child.pid) for child in self.children)

    def stop(self) -> None:
        for child in reversed(self.children):
            process.stop(child, timeout=30)
        for server in (self.valkey, self.postgres):
            server.stop()
        shutil.rmtree(self.var, ignore_errors=True)
        if self.paths.data != self.var:
            shutil.rmtree(self.paths.data, ignore_errors=True)
