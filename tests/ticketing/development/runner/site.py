"""A `manage.py up` started by a test and observed from outside."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from ticketing.development.embedded.paths import server_paths

ROOT = Path(__file__).resolve().parents[4]
TEST_VARIABLES = {"DATABASE_URL", "REDIS_URL", "TEST_REDIS_URL", "SECRET_KEY", "BROKER_URL"}


class Site:
    def __init__(self, var: Path, **environment: str) -> None:
        self.var = var
        self.log = var.with_name(f"{var.name}.log")
        inherited = {
            name: value for name, value in os.environ.items() if name not in TEST_VARIABLES
        }
        ours = {"VAR_DIR": str(var), "PORT": "0", "DEVELOPMENT": "1", "WEB_PROCESSES": "1"}
        self.environment = inherited | ours | environment

    def start(self) -> "Site":
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=self.environment,
            stdout=self.log.open("wb"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        return self

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run another command on the same data to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", command],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def wait_until_ready(self) -> "Site":
        wait_for(lambda: "Ready: " in self.output() or self.process.poll() is not None, 120)
        assert self.process.poll() is None, self.output()
        return self

    def output(self) -> str:
        return self.log.read_text()

    def stop(self, stop_signal: signal.Signals) -> int:
        self.process.send_signal(stop_signal)
        return self.process.wait(60)

    def status(self, path: str) -> int:
        base = self.output().split("Ready: ")[1].split("/\n")[0]
        try:
            with urllib.request.urlopen(f"{base}{path}", timeout=5) as answer:
                return answer.status
        except urllib.error.HTTPError as refusal:
            return refusal.code
        except OSError:
            return 0

    def processes(self) -> dict[int, str]:
        """Every process whose command, environment or working directory names this run's data."""
        marks = [str(self.var).encode(), str(server_paths(self.var).data).encode()]
        found = {int(entry.name): _traces(entry) for entry in Path("/proc").glob("[0-9]*")}
        return {
            pid: command.replace(b"\0", b" ").decode(errors="replace")
            for pid, (command, rest) in found.items()
            if any(mark in command + rest for mark in marks)
        }

    def pid_of(self, command_part: str) -> int:
        """The direct child of the runner whose command contains this; its forks look the same."""
        found = [pid for pid, command in self.processes().items() if command_part in command]
        return next(pid for pid in found if _parent(pid) == self.process.pid)

    def has_restarted_all(self) -> bool:
        """Whether every child that exited has been restarted."""
        output = self.output()
        return output.count(" exited (") == output.count(" restarted.")

    def delete_files(self) -> None:
        paths = server_paths(self.var)
        for folder in (paths.run, paths.data, self.var):
            shutil.rmtree(folder, ignore_errors=True)
        self.log.unlink(missing_ok=True)


def _traces(entry: Path) -> tuple[bytes, bytes]:
    try:
        where = os.readlink(entry / "cwd").encode()
        return (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes() + where
    except OSError:
        return b"", b""


def _parent(pid: int) -> int:
    """The parent's pid: the field after the state in /proc/<pid>/stat."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def wait_for(condition: Callable[[], bool], timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.1)
