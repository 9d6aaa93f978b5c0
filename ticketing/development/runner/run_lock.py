"""Prevents two runs on the same data."""

import fcntl
import os
import time
from pathlib import Path

from ticketing.development.embedded.errors import CannotRun

TIMEOUT = 15


class RunLock:
    """A file lock whose descriptor the servers inherit: held as long as one of them runs."""

    def __init__(self, var: Path) -> None:
        var.mkdir(parents=True, exist_ok=True)
        self.path = var / "up.lock"
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def acquire(self) -> None:
        """Acquire the lock; waits only for servers that a killed run left and that are stopping."""
        deadline = time.monotonic() + TIMEOUT
        while not self._try_lock():
            if _alive(pid := self._holder()) or time.monotonic() > deadline:
                raise CannotRun(
                    f"It is already running (pid {pid}) on {self.path.parent}.\n"
                    "Stop that one first, or give this one a folder and a port of its own: "
                    "VAR_DIR=… PORT=…"
                )
            time.sleep(0.1)
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, str(os.getpid()).encode(), 0)

    def _try_lock(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _holder(self) -> int:
        return int(os.pread(self.descriptor, 32, 0) or 0)


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
