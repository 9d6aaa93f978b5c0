"""Runs the site: servers, migrations, web, workers and beat, from one command."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
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

AS_ROOT = "ignore:You're running the worker with superuser privileges"


@dataclass(frozen=True)
class SiteOptions:
    """What to run, from the settings."""

    base: Path
    var: Path
    host: str
    port: int
    web_processes: int
    own_postgres: bool
    own_valkey: bool
    demo: bool
    mails: str
    log_ins: Sequence[tuple[str, str, str]]


class SiteRunner:
    """Starts everything in order, watches it, and stops it in reverse order."""

    def __init__(self, options: SiteOptions, terminal: Terminal) -> None:
        self.options = options
        self.terminal = terminal
        self.paths = server_paths(options.var)
        self.supervisor = Supervisor(terminal=terminal, data=self.paths.data)
        self.servers: list[ChildProcess] = []
        self.web: list[ChildProcess] = []
        self.workers: list[ChildProcess] = []
        self.ticker: list[ChildProcess] = []
        self.beat: list[ChildProcess] = []

    def __call__(self) -> int:
        """Run until stopped; returns exit code 0 after a stop signal, 1 after an error."""
        try:
            error = self._run()
        finally:
            self._stop()
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
        options, step = self.options, self.terminal.step
        with step("Check disk, port and lock"):
            self._check()
        if options.own_postgres:
            with step("Start PostgreSQL"):
                self._start_postgres()
        if options.own_valkey:
            with step("Start Valkey"):
                self._start_server(Valkey(self.paths))
        with step("Bring the database up to date"):
            self._manage("migrate", "--no-input", "--verbosity=0")
        if options.demo:
            with step("Make demo data, if it is empty"):
                self._manage("seed_demo", "--if-empty")
        with step("Collect static files"):
            self._manage("collectstatic", "--no-input", "--verbosity=0")
        with step("Start web, worker and beat"):
            self._start_site()
        self._print_welcome()

    def _check(self) -> None:
        self.lock = RunLock(self.options.var)
        self.lock.acquire()
        fresh = self.options.own_postgres and not (self.paths.data / "postgres").exists()
        needed = preflight.FIRST_RUN if fresh else preflight.LATER_RUN
        preflight.require_space(self.paths.data, needed=needed)
        self.listener = preflight.open_port(self.options.host, self.options.port)

    # -- processes --------------------------------------------------------------------------------

    def _start_postgres(self) -> None:
        postgres = Postgres(self.paths)
        self._start_server(postgres)
        postgres.create_database("ticketing")

    def _start_server(self, server: Server) -> None:
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
        self.supervisor.add(child)
        self.supervisor.wait_for(child, server.is_ready, timeout=60)

    def _start_site(self) -> None:
        serve = [*self._python("manage.py"), "serve", "--fd", str(self.listener.fileno())]
        celery = [*self._python("-W", AS_ROOT, "-m"), "celery", "-q", "-A", "ticketing"]
        worker = ["worker", "--queues=celery,holds", "--pool=threads", "--concurrency=4"]
        payer = ["worker", "--queues=payments", "--pool=threads", "--concurrency=4"]
        mailer = ["worker", "--queues=mail", "--pool=threads", "--concurrency=2"]
        ticker = ["worker", "--queues=tick", "--pool=solo", "--hostname=ticker@%h"]
        beat = ["beat", "--pidfile="]
        for number in range(1, self.options.web_processes + 1):
            self.web.append(
                self._process(f"web.{number}", serve, pass_fds=[self.listener.fileno()])
            )
        for name, tasks in (
            ("worker", worker),
            ("payer", [*payer, "--hostname=payer@%h"]),
            ("mailer", [*mailer, "--hostname=mailer@%h"]),
        ):
            self.workers.append(self._process(name, [*celery, *tasks], stop_timeout=15))
        self.ticker.append(self._process("ticker", [*celery, *ticker], stop_timeout=15))
        self.beat.append(self._process("beat", [*celery, *beat]))
        self.supervisor.wait_for(
            self.web[0], HealthCheck(self._host(), self.listener.getsockname()[1]), timeout=60
        )

    def _process(
        self,
        name: str,
        command: list[str],
        *,
        pass_fds: Sequence[int] = (),
        stop_timeout: float = 10,
    ) -> ChildProcess:
        def start(output: int) -> subprocess.Popen[bytes]:
            return process.start(
                command,
                parent_death_signal=signal.SIGKILL,
                cwd=self.options.base,
                stdout=output,
                stderr=subprocess.STDOUT,
                # With PORT=0 this is the port that was assigned; the sandbox is called there.
                env=os.environ
                | {"PYTHONUNBUFFERED": "1", "PORT": str(self.listener.getsockname()[1])},
                pass_fds=pass_fds,
            )

        return self.supervisor.add(ChildProcess(name, start, stop_timeout=stop_timeout))

    def _manage(self, command: str, *options: str) -> None:
        self.supervisor.run(
            [*self._python("manage.py"), command, *options],
            cwd=self.options.base,
            log=self.options.var / "log" / f"{command}.log",
        )

    def _python(self, *arguments: str) -> list[str]:
        return [sys.executable, *arguments]

    def _stop(self) -> None:
        """Stop everything in an order in which nothing misses what it needs: PostgreSQL last."""
        groups = [
            self.beat,
            self.web,
            self.ticker,
            self.workers,
            *([server] for server in reversed(self.servers)),
        ]
        self.supervisor.stop(groups)

    # -- address ----------------------------------------------------------------------------------

    def _host(self) -> str:
        """The address under which this machine reaches itself."""
        host = str(self.listener.getsockname()[0])
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104

    def _url(self) -> str:
        host, port = self._host(), self.listener.getsockname()[1]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def _print_welcome(self) -> None:
        url, write = self._url(), self.terminal.write
        write(f"\n  Ready: {self.terminal.paint(f'{url}/', BOLD)}")
        write(f"  Admin: {url}/admin/      API: {url}/api/v1/docs/")
        if self.options.mails:
            write(f"  Mails: {url}{self.options.mails} (none is really sent)")
        for email, password, who in self.options.log_ins:
            write(f"  Log in as {email} with {password} ({who})")
        if self.options.own_postgres or self.options.own_valkey:
            write(f"  Data is kept in {self.paths.data}")
            write("  The embedded servers are for development only (docs/operations.md).")
        write("  Ctrl-C stops everything; `make reset` deletes all data.\n")
