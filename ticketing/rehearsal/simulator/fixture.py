"""A whole site of the rehearsal's own, on throw-away servers, whose processes may be killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

from django.conf import settings

from ticketing.core import clock
from ticketing.development.demo import DEMO_LOGINS
from ticketing.development.embedded import process
from ticketing.development.embedded.errors import CannotRun
from ticketing.development.runner.reset import delete_data
from ticketing.settings import env

# Nothing of the site that this command belongs to gets in, but for what may be tried out.
TRIED_OUT = {"WEB_THREADS", "FAST_PATH_THREADS"}
NOT_INHERITED = env.knobs.keys() - TRIED_OUT
# What the command lines of its processes have in them.
ROLES = {
    "web": "manage.py serve",
    "worker": "worker --queues=celery",
    "payer": "worker --queues=payments",
    "ticker": "worker --queues=tick",
    "beat": "ticketing beat",
    "valkey": "valkey-server",
    "postgresql": "bin/postgres -D",
}
STARTING, STOPPING = 180.0, 60.0


class House:
    def __init__(self, var: Path, web_processes: int = 2) -> None:
        self.var = var
        self.log = var / "up.log"
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
    def started(cls) -> Iterator["House"]:
        """It is gone without a trace afterwards, whatever happens."""
        house = cls(Path(tempfile.mkdtemp(prefix="rehearsal-")))
        try:
            house.start()
            yield house
        finally:
            house.stop()

    def start(self) -> None:
        self.run = self.another("manage.py", "up", log=self.log)
        _until(lambda: "Ready: " in self.said() or not self.runs, STARTING)
        if not self.runs or "Ready: " not in self.said():
            raise CannotRun(f"The throw-away site does not start:\n{self.said().strip()[-2000:]}")
        self.url = self.said().split("Ready: ")[1].split("/\n")[0]
        self.token = self._operators_token()

    def another(self, *command: str, log: Path) -> subprocess.Popen[bytes]:
        """A further process with the same environment; it ends with this one."""
        with log.open("ab") as output:
            return process.start(
                [sys.executable, *command],
                parent_death_signal=signal.SIGTERM,
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def stop(self) -> None:
        if hasattr(self, "run"):
            process.stop(self.run, stop_signal=signal.SIGINT, timeout=STOPPING)
        delete_data(self.var)
        shutil.rmtree(self.var, ignore_errors=True)

    @property
    def runs(self) -> bool:
        return self.run.poll() is None

    def said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    # -- its processes ----------------------------------------------------------------------------

    def pids(self, role: str) -> list[int]:
        """Only those that the run itself started: their own children look the same at first."""
        mark = ROLES[role].encode()
        return sorted(pid for pid in _children(self.run.pid) if mark in _command(pid))

    def replace(self, role: str, *, victim: int = 0, patience: float = 30) -> int:
        """Kill one as in a crash, without a word; who took its place, once the site answers."""
        before = self.pids(role)
        if not before:
            return 0
        os.kill(victim if victim in before else before[0], signal.SIGKILL)
        is_back = _until(lambda: bool(self._new(role, before)) and self._whole(role), patience)
        return self._new(role, before) if is_back else 0

    def _new(self, role: str, before: list[int]) -> int:
        return next((pid for pid in self.pids(role) if pid not in before), 0)

    def _whole(self, role: str) -> bool:
        expected = int(self.environment["WEB_PROCESSES"]) if role == "web" else 1
        return len(self.pids(role)) == expected and self.answers()

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except OSError:
            return False

    def set_clock(self, seconds: float) -> None:
        """For processes that start from now on."""
        self.clock.write_text(str(seconds))

    def _operators_token(self) -> str:
        email, password, _ = DEMO_LOGINS[0]
        wish = json.dumps({"email": email, "password": password, "name": "rehearsal"})
        request = urllib.request.Request(  # noqa: S310 - our own address
            f"{self.url}/api/v1/tokens/", wish.encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return str(json.load(answer)["secret"])


def _children(pid: int) -> list[int]:
    found = (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
    return [child for child in found if _parent(child) == pid]


def _parent(pid: int) -> int:
    """The number after the state, which stands behind the command's name in brackets."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return b""


def _until(true: Callable[[], bool], patience: float) -> bool:
    deadline = clock.monotonic() + patience
    while not true():
        if clock.monotonic() > deadline:
            return False
        sleep(0.1)
    return True
