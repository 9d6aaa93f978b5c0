"""A throw-away site for a rehearsal, whose processes may be killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from django.conf import settings

from ticketing.core import clock
from ticketing.development.demo import DEMO_LOGINS
from ticketing.development.embedded import process
from ticketing.development.embedded.errors import CannotRun
from ticketing.development.embedded.paths import server_paths
from ticketing.development.embedded.valkey import Valkey
from ticketing.development.runner.reset import delete_data
from ticketing.rehearsal.network.control import Network
from ticketing.rehearsal.network.links import connect_network
from ticketing.settings.environment import env

# The throw-away site inherits no setting of this site, but for those that a rehearsal may try out.
INHERITED = {"WEB_THREADS", "FAST_PATH_THREADS", "CHALLENGE", "CHALLENGE_FROM"}
NOT_INHERITED = env.knobs.keys() - INHERITED
# A part of each process's command line.
ROLES = {
    "web": "manage.py serve",
    "worker": "worker --queues=celery",
    "payer": "worker --queues=payments",
    "mailer": "worker --queues=mail",
    "ticker": "worker --queues=tick",
    "beat": "ticketing beat",
    "sandbox": "manage.py sandbox",
    "valkey": "valkey-server",
    "postgresql": "bin/postgres -D",
}
START_TIMEOUT, STOP_TIMEOUT, REPLACE_TIMEOUT = 600.0, 60.0, 60.0


@dataclass(frozen=True)
class RunningProcess:
    """A process beside those of the site."""

    handle: "subprocess.Popen[bytes]"

    def is_running(self) -> bool:
        return self.handle.poll() is None

    def stop(self) -> None:
        process.stop(self.handle)


class SiteFixture:
    """Starts a site with `manage.py up` in a folder of its own; a `ProcessControl`."""

    network: Network | None = None

    def __init__(self, var: Path, web_processes: int = 2) -> None:
        self.var = var
        self.log = var / "up.log"
        self.valkey = Valkey(server_paths(var))
        self.clock = var / "clock"
        inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        self.environment = inherited | {
            "VAR_DIR": str(var),
            "PORT": "0",
            "DEVELOPMENT": "1",
            "WEB_PROCESSES": str(web_processes),
            "LOG_LEVEL": "WARNING",
            "CLOCK_SKEW_FILE": str(self.clock),
        }
        self.url = self.token = ""

    @classmethod
    @contextmanager
    def started(cls, *, with_network: bool = False) -> Iterator["SiteFixture"]:
        """A running site, which is deleted afterwards in any case.

        With a network there is a proxy between its processes and servers, which can be disturbed.
        """
        fixture = cls(Path(tempfile.mkdtemp(prefix="rehearsal-")))
        try:
            if with_network:
                fixture.network, addresses = connect_network(fixture.var)
                fixture.environment |= addresses
            fixture.start()
            yield fixture
        finally:
            fixture.stop()

    def start(self) -> None:
        self.run = self._start_process("manage.py", "up", log=self.log)
        _wait_until(lambda: "Ready: " in self.output() or not self.is_running, START_TIMEOUT)
        output = self.output()
        if not self.is_running or "Ready: " not in output:
            raise CannotRun(f"The throw-away site does not start:\n{output.strip()[-2000:]}")
        self.url = output.split("Ready: ")[1].split("/\n")[0]
        self.token = self._operator_token()

    def stop(self) -> None:
        if hasattr(self, "run"):
            process.stop(self.run, stop_signal=signal.SIGINT, timeout=STOP_TIMEOUT)
        if self.network:
            self.network.stop()
        delete_data(self.var)
        shutil.rmtree(self.var, ignore_errors=True)

    @property
    def is_running(self) -> bool:
        return self.run.poll() is None

    def output(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    # -- processes --------------------------------------------------------------------------------

    @property
    def roles(self) -> Collection[str]:
        return ROLES.keys()

    def pids(self, role: str) -> list[int]:
        """Only direct children of the run: their own children look the same until they exec."""
        pattern = ROLES[role].encode()
        return sorted(pid for pid in _children(self.run.pid) if pattern in _command(pid))

    def replace(self, role: str, *, victim: int = 0) -> int:
        """Kill a process and wait until the site has a new one and is ready; 0 if it is not."""
        before = self.pids(role)
        if not before:
            return 0
        os.kill(victim if victim in before else before[0], signal.SIGKILL)
        is_back = _wait_until(
            lambda: bool(self._new_pid(role, before)) and self._is_complete(role), REPLACE_TIMEOUT
        )
        return self._new_pid(role, before) if is_back else 0

    # -- servers ----------------------------------------------------------------------------------

    def kill_database_connection(self) -> bool:
        """PostgreSQL ends all connections when the process of one is killed, and recovers."""
        backends = [
            pid
            for postmaster in self.pids("postgresql")
            for pid in _children(postmaster)
            if b" ticketing " in _command(pid)
        ]
        if not backends:
            return False
        os.kill(backends[0], signal.SIGKILL)
        _wait_until(lambda: not _command(backends[0]), REPLACE_TIMEOUT)
        return _wait_until(self._is_ready, REPLACE_TIMEOUT)

    def empty_redis(self) -> bool:
        is_empty = self.valkey.call("FLUSHALL") == b"+OK"
        return is_empty and _wait_until(self._is_ready, REPLACE_TIMEOUT)

    def cut_power(self) -> bool:
        """Without notice: PostgreSQL stops at once, and the end of Valkey's file is not written.

        Valkey is halted first, so that it is not started again before its file is shorter.
        """
        valkey, postgres = self.pids("valkey"), self.pids("postgresql")
        if not (valkey and postgres):
            return False
        for pid in valkey:
            os.kill(pid, signal.SIGSTOP)
        self.valkey.drop_last_second(now=clock.now().timestamp())
        for pid in valkey:
            os.kill(pid, signal.SIGKILL)
        for pid in postgres:
            os.kill(pid, signal.SIGQUIT)  # "immediate": as after a crash
        return _wait_until(
            lambda: (
                bool(self._new_pid("valkey", valkey) and self._new_pid("postgresql", postgres))
                and self._is_ready()
            ),
            REPLACE_TIMEOUT,
        )

    # -- beside the site --------------------------------------------------------------------------

    def start_second_beat(self) -> RunningProcess:
        schedule = f"--schedule={self.var / 'beat-schedule-2'}"
        beat = ["celery", "-q", "-A", "ticketing", "beat", "--pidfile=", schedule]
        log = self.var / "second-beat.log"
        return RunningProcess(self._start_process("-m", *beat, log=log))

    def set_clock(self, seconds: float) -> None:
        """Shift the clock of processes that start from now on."""
        self.clock.write_text(str(seconds))

    def _start_process(self, *command: str, log: Path) -> "subprocess.Popen[bytes]":
        """Start a process in the site's environment; it ends with this one."""
        with log.open("ab") as output:
            return process.start(
                [sys.executable, *command],
                parent_death_signal=signal.SIGTERM,
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def _new_pid(self, role: str, before: list[int]) -> int:
        return next((pid for pid in self.pids(role) if pid not in before), 0)

    def _is_complete(self, role: str) -> bool:
        expected = int(self.environment["WEB_PROCESSES"]) if role == "web" else 1
        return len(self.pids(role)) == expected and self._is_ready()

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except OSError:
            return False

    def _operator_token(self) -> str:
        email, password, _ = DEMO_LOGINS[0]
        sent = {"email": email, "password": password, "name": "rehearsal"}
        body = json.dumps(sent | {"scopes": ["read", "operate"], "days": 1})
        request = urllib.request.Request(  # noqa: S310 - our own address
            f"{self.url}/api/v1/tokens/", body.encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return str(json.load(answer)["secret"])


def _children(pid: int) -> list[int]:
    pids = (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
    return [child for child in pids if _parent(child) == pid]


def _parent(pid: int) -> int:
    """The second number after the command's name, which is in brackets."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return b""


def _wait_until(condition: Callable[[], bool], timeout: float) -> bool:
    deadline = clock.monotonic() + timeout
    while not condition():
        if clock.monotonic() > deadline:
            return False
        sleep(0.1)
    return True
