"""The default run: everything that the site needs, on one machine, from one command."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ticketing.development.embedded import checks, process
from ticketing.development.embedded.child import Child
from ticketing.development.embedded.console import BOLD, Console
from ticketing.development.embedded.errors import CannotRun, StopAsked, cannot_write
from ticketing.development.embedded.knock import Knock
from ticketing.development.embedded.lock import Lock
from ticketing.development.embedded.places import places
from ticketing.development.embedded.postgres import Postgres
from ticketing.development.embedded.servers import Server
from ticketing.development.embedded.supervisor import Supervisor
from ticketing.development.embedded.valkey import Valkey

AS_ROOT = "ignore:You're running the worker with superuser privileges"


@dataclass(frozen=True)
class Plan:
    """What to run, as the environment says."""

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


class Run:
    """Starts all of it in order, watches it, and stops it in the opposite order."""

    def __init__(self, plan: Plan, console: Console) -> None:
        self.plan = plan
        self.console = console
        self.places = places(plan.var)
        self.supervisor = Supervisor(console=console, data=self.places.data)
        self.servers: list[Child] = []
        self.web: list[Child] = []
        self.workers: list[Child] = []
        self.ticker: list[Child] = []
        self.beat: list[Child] = []

    def __call__(self) -> int:
        """The exit code: 0 if somebody asked us to stop, 1 if something is wrong."""
        try:
            trouble = self._until_it_ends()
        finally:
            self._stop()
        if trouble:
            self.console.complain(trouble)
        return 1 if trouble else 0

    def _until_it_ends(self) -> str:
        """Why it could not go on; nothing if somebody asked us to stop."""
        try:
            self._start()
            self.supervisor.watch()
        except StopAsked:
            self.console.say("\nStopping …")
        except (CannotRun, OSError) as problem:
            if not self.supervisor.asked_to_stop:  # else Ctrl-C also reached what has just failed
                return self._explain(problem)
        return ""

    def _explain(self, problem: CannotRun | OSError) -> str:
        if isinstance(problem, OSError):
            problem = cannot_write(problem, self.places.data)
        return str(problem)

    def _start(self) -> None:
        plan, step = self.plan, self.console.step
        with step("Check disk, port and lock"):
            self._check()
        if plan.own_postgres:
            with step("Start PostgreSQL"):
                self._start_postgres()
        if plan.own_valkey:
            with step("Start Valkey"):
                self._start_server(Valkey(self.places))
        with step("Bring the database up to date"):
            self._manage("migrate", "--no-input", "--verbosity=0")
        if plan.demo:
            with step("Make demo data, if it is empty"):
                self._manage("seed_demo", "--if-empty")
        with step("Collect static files"):
            self._manage("collectstatic", "--no-input", "--verbosity=0")
        with step("Start web, worker and beat"):
            self._start_site()
        self._welcome()

    def _check(self) -> None:
        self.lock = Lock(self.plan.var)
        self.lock.take()
        fresh = self.plan.own_postgres and not (self.places.data / "postgres").exists()
        needed = checks.FIRST_RUN if fresh else checks.LATER_RUN
        checks.require_space(self.places.data, needed=needed)
        self.door = checks.listen(self.plan.host, self.plan.port)

    # -- processes --------------------------------------------------------------------------------

    def _start_postgres(self) -> None:
        postgres = Postgres(self.places)
        self._start_server(postgres)
        postgres.create_database("ticketing")

    def _start_server(self, server: Server) -> None:
        def start(output: int) -> subprocess.Popen[bytes]:
            server.prepare()
            return server.start(
                stdout=output, stderr=subprocess.STDOUT, pass_fds=[self.lock.descriptor]
            )

        name, how = server.name.lower(), server.stop_signal
        child = Child(name, start, stop_signal=how, patience=20, noise=server.noise)
        self.servers.append(child)
        self.supervisor.add(child)
        self.supervisor.wait_for(child, server.answers, patience=60)

    def _start_site(self) -> None:
        serve = [*self._python("manage.py"), "serve", "--fd", str(self.door.fileno())]
        celery = [*self._python("-W", AS_ROOT, "-m"), "celery", "-q", "-A", "ticketing"]
        worker = ["worker", "--queues=celery,holds", "--pool=threads", "--concurrency=4"]
        payer = ["worker", "--queues=payments", "--pool=threads", "--concurrency=4"]
        ticker = ["worker", "--queues=tick", "--pool=solo", "--hostname=ticker@%h"]
        beat = ["beat", "--pidfile="]
        for number in range(1, self.plan.web_processes + 1):
            self.web.append(self._process(f"web.{number}", serve, pass_fds=[self.door.fileno()]))
        for name, tasks in (("worker", worker), ("payer", [*payer, "--hostname=payer@%h"])):
            self.workers.append(self._process(name, [*celery, *tasks], patience=15))
        self.ticker.append(self._process("ticker", [*celery, *ticker], patience=15))
        self.beat.append(self._process("beat", [*celery, *beat]))
        self.supervisor.wait_for(
            self.web[0], Knock(self._host(), self.door.getsockname()[1]), patience=60
        )

    def _process(
        self, name: str, command: list[str], *, pass_fds: Sequence[int] = (), patience: float = 10
    ) -> Child:
        def start(output: int) -> subprocess.Popen[bytes]:
            return process.start(
                command,
                last_words=signal.SIGKILL,
                cwd=self.plan.base,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Whoever chose port 0 learns here which one it became; the sandbox is called there.
                env=os.environ | {"PYTHONUNBUFFERED": "1", "PORT": str(self.door.getsockname()[1])},
                pass_fds=pass_fds,
            )

        return self.supervisor.add(Child(name, start, patience=patience))

    def _manage(self, command: str, *options: str) -> None:
        self.supervisor.run(
            [*self._python("manage.py"), command, *options],
            cwd=self.plan.base,
            log=self.plan.var / "log" / f"{command}.log",
        )

    def _python(self, *words: str) -> list[str]:
        return [sys.executable, *words]

    def _stop(self) -> None:
        """In an order in which nobody misses what is gone: PostgreSQL last."""
        groups = [
            self.beat,
            self.web,
            self.ticker,
            self.workers,
            *([server] for server in reversed(self.servers)),
        ]
        self.supervisor.stop(groups)

    # -- the door ---------------------------------------------------------------------------------

    def _host(self) -> str:
        """A name for this machine's own way in, where we listen on all of them."""
        host = str(self.door.getsockname()[0])
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104

    def _url(self) -> str:
        host, port = self._host(), self.door.getsockname()[1]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def _welcome(self) -> None:
        url, say = self._url(), self.console.say
        say(f"\n  Ready: {self.console.paint(f'{url}/', BOLD)}")
        say(f"  Admin: {url}/admin/      API: {url}/api/v1/docs/")
        if self.plan.mails:
            say(f"  Mails: {url}{self.plan.mails} (none is really sent)")
        for email, password, who in self.plan.log_ins:
            say(f"  Log in as {email} with {password} ({who})")
        if self.plan.own_postgres or self.plan.own_valkey:
            say(f"  Data is kept in {self.places.data}")
            say("  The embedded servers are for development only (docs/operations.md).")
        say("  Ctrl-C stops everything; `make reset` forgets all data.\n")
