"""Runs the site: servers, migrations, web, workers and beat, from one command."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ticketing.development.embedded import process
from ticketing.development.embedded.errors import CannotRun, StopRequested, cannot_write
from ticketing.development.embedded.paths import server_paths
from ticketing.development.embedded.postgres import Postgres
from ticketing.development.embedded.servers import Server
from ticketing.development.embedded.valkey import Valkey
from ticketing.development.runner import preflight
from ticketing.development.runner.child_process import ChildProcess
from ticketing.development.runner.health_check import HealthCheck
from ticketing.development.runner.run_lock import RunLock
from ticketing.development.runner.supervisor import Supervisor
from ticketing.development.runner.terminal import BOLD, Terminal
from ticketing.processes import SANDBOX, WEB, WORKERS, SiteProcess, Stop

# `manage.py prepare` checks once; Celery would do it in each worker.
ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "CELERY_SKIP_CHECKS": "1"}


@dataclass(frozen=True)
class SiteOptions:
    """What to run, from the settings."""

    base: Path
    var: Path
    host: str
    port: int
    web_processes: int
    sandbox: bool
    sandbox_port: int
    own_postgres: bool
    own_valkey: bool
    mails: str
    log_ins: Sequence[tuple[str, str, str]]
    # Further environment variables of single kinds of processes, for fault tests.
    environments: Mapping[str, Mapping[str, str]]


class SiteRunner:
    """Starts everything in order, watches it, and stops it in reverse order."""

    def __init__(self, options: SiteOptions, terminal: Terminal) -> None:
        self.options = options
        self.terminal = terminal
        self.paths = server_paths(options.var)
        self.supervisor = Supervisor(terminal=terminal, data=self.paths.data)
        self.servers: list[ChildProcess] = []
        self.processes: list[tuple[Stop, ChildProcess]] = []
        self.listeners: dict[str, socket.socket] = {}

    def __call__(self) -> int:
        """Run until stopped; returns exit code 0 after a stop signal, 1 after an error."""
        try:
            error = self._run()
        finally:
            # In an order in which nothing misses what it needs: PostgreSQL last.
            groups = [[child for stop, child in self.processes if stop == each] for each in Stop]
            self.supervisor.stop([*groups, *([server] for server in self.servers)])
        if error:
            self.terminal.write_error(error)
        return 1 if error else 0

    def _run(self) -> str:
        """Start and watch everything; returns the error, or nothing after a stop signal."""
        try:
            self._start()
            self.supervisor.watch()
        except StopRequested:
            self.terminal.write("\nStopping …")
        except (CannotRun, OSError) as problem:
            if not self.supervisor.stop_signals:  # else Ctrl-C reached the process that failed
                if isinstance(problem, OSError):
                    problem = cannot_write(problem, self.paths.data)
                return str(problem)
        return ""

    def _start(self) -> None:
        step = self.terminal.step
        with step("Check disk, ports and lock"):
            self._check()
        if self.options.own_postgres or self.options.own_valkey:
            with step("Start PostgreSQL and Valkey"):
                self._start_servers()
        with step("Bring database and files up to date"):
            self._manage("prepare")
        with step("Start web, workers and beat"):
            # Web first: each process loads for more than a second, and cores are few.
            web = [
                self._start_process(WEB, f"web.{number}")
                for number in range(1, self.options.web_processes + 1)
            ]
            self.supervisor.wait_for(web[0], HealthCheck(self._host(), self._port()), timeout=60)
            for spec in (*((SANDBOX,) if self.options.sandbox else ()), *WORKERS):
                self._start_process(spec, spec.name)
        self._print_welcome()

    def _check(self) -> None:
        options = self.options
        self.lock = RunLock(options.var)
        self.lock.acquire()
        fresh = options.own_postgres and not (self.paths.data / "postgres").exists()
        needed = preflight.FIRST_RUN if fresh else preflight.LATER_RUN
        preflight.require_space(self.paths.data, needed=needed)
        self.listeners[WEB.port] = preflight.open_port(options.host, options.port)
        if options.sandbox:
            self.listeners[SANDBOX.port] = preflight.open_port("127.0.0.1", options.sandbox_port)

    # -- processes --------------------------------------------------------------------------------

    def _start_servers(self) -> None:
        """Both at once; Valkey first, because a first start of PostgreSQL creates its cluster."""
        valkey, postgres = Valkey(self.paths), Postgres(self.paths)
        own = ((self.options.own_valkey, valkey), (self.options.own_postgres, postgres))
        started = [(self._start_server(server), server) for is_own, server in own if is_own]
        for child, server in started:
            self.supervisor.wait_for(child, server.is_ready, timeout=60)
        if self.options.own_postgres:
            postgres.create_database("ticketing")

    def _start_server(self, server: Server) -> ChildProcess:
        def start(output: int) -> subprocess.Popen[bytes]:
            server.prepare()
            return server.start(
                stdout=output, stderr=subprocess.STDOUT, pass_fds=[self.lock.descriptor]
            )

        child = ChildProcess(
            server.name.lower(),
            start,
            stop_signal=server.stop_signal,
            stop_timeout=20,
            noise=server.noise,
        )
        self.servers.append(child)
        return self.supervisor.add(child)

    def _start_process(self, spec: SiteProcess, name: str) -> ChildProcess:
        listening = [self.listeners[spec.port].fileno()] if spec.port else []
        command = [*spec.command, *(part for fd in listening for part in ("--fd", str(fd)))]
        # With PORT=0 these are the ports that were assigned.
        ports = {key: str(each.getsockname()[1]) for key, each in self.listeners.items()}
        environment = ENVIRONMENT | ports | dict(self.options.environments.get(spec.name, {}))

        def start(output: int) -> subprocess.Popen[bytes]:
            return process.start(
                command,
                parent_death_signal=signal.SIGKILL,
                cwd=self.options.base,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | environment,
                pass_fds=listening,
            )

        child = ChildProcess(name, start, stop_timeout=spec.stop_timeout)
        self.processes.append((spec.stop, child))
        return self.supervisor.add(child)

    def _manage(self, command: str) -> None:
        self.supervisor.run(
            [sys.executable, "manage.py", command],
            cwd=self.options.base,
            log=self.options.var / "log" / f"{command}.log",
        )

    # -- address ----------------------------------------------------------------------------------

    def _host(self) -> str:
        """The address under which this machine reaches itself."""
        host = str(self.listeners[WEB.port].getsockname()[0])
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104

    def _port(self) -> int:
        return int(self.listeners[WEB.port].getsockname()[1])

    def _print_welcome(self) -> None:
        host, port = self._host(), self._port()
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        write = self.terminal.write
        write(f"\n  Ready: {self.terminal.paint(f'{url}/', BOLD)}")
        write(f"  Admin: {url}/admin/      API: {url}/api/v1/docs/")
        if self.options.mails:
            write(f"  Mails: {url}{self.options.mails} (none is really sent)")
        metrics = self.options.var / "metrics"
        write(f"  Metrics: addresses for Prometheus are in {metrics} (docs/metrics.md)")
        for email, password, who in self.options.log_ins:
            write(f"  Log in as {email} with {password} ({who})")
        if self.options.own_postgres or self.options.own_valkey:
            write(f"  Data is kept in {self.paths.data}")
            write("  The embedded servers are for development only (docs/operations.md).")
        write("  Ctrl-C stops everything; `make reset` deletes all data.\n")
