"""A web process for one rehearsal alone: no page of anybody else waits behind its calls.

It is no process of the site: no heartbeat, no metrics. Everything else goes first on the processor.
It ends with the process that started it.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ticketing.development.embedded import process
from ticketing.development.embedded.errors import CannotRun
from ticketing.rehearsal.services import run_gently

ENVIRONMENT = {
    "WEB_THREADS": "2",  # at most eight connections to the database, with
    "FAST_PATH_THREADS": "2",
    "OVERLOAD_LAG_MS": "60000",  # it may be late: there is no crowd that it had to refuse
    "LOG_LEVEL": "WARNING",
}
START_SECONDS = 120.0  # on a busy machine, where everything else goes first
ALIVE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True)
class WebProcess:
    """`socket` is in a folder that only this user can enter."""

    pid: int
    socket: Path
    log: Path

    @classmethod
    @contextmanager
    def started(cls, base: Path) -> Iterator["WebProcess"]:
        """A web process of the site in this folder, with this process's settings."""
        with TemporaryDirectory(prefix="rehearsal-") as folder:
            address, log = Path(folder) / "web.sock", Path(folder) / "web.log"
            child = _start(base, address, log)
            try:
                run_gently(child.pid)
                _wait_until_ready(address, log)
                yield cls(child.pid, address, log)
            except Exception as failure:
                if child.poll() is None:
                    raise
                raise _ended("The web process of the rehearsal has ended", log) from failure
            finally:
                process.stop(child)

    def output(self) -> str:
        return self.log.read_text(errors="replace")


def _start(base: Path, address: Path, log: Path) -> "subprocess.Popen[bytes]":
    with socket.socket(socket.AF_UNIX) as listener, log.open("ab") as output:
        listener.bind(str(address))
        listener.listen()
        return process.start(
            [sys.executable, "manage.py", "serve", "--apart", "--fd", str(listener.fileno())],
            parent_death_signal=signal.SIGKILL,
            cwd=base,
            env=os.environ | ENVIRONMENT,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=[listener.fileno()],
        )


def _wait_until_ready(address: Path, log: Path) -> None:
    """Nobody but the child has the listening socket: if it dies, this connection is closed."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(START_SECONDS)
        try:
            client.connect(str(address))
            client.sendall(ALIVE)
            answer = client.recv(64)
        except OSError as failure:
            answer = str(failure).encode()
    if not answer.startswith(b"HTTP/1.1 200"):
        raise _ended("The web process of the rehearsal does not start", log)


def _ended(what: str, log: Path) -> CannotRun:
    return CannotRun(f"{what}:\n{log.read_text(errors='replace').strip()[-2000:]}")
