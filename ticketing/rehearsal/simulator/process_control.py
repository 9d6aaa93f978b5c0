"""What the simulator needs of a site whose processes it may kill."""

from collections.abc import Collection
from typing import Protocol


class ExtraProcess(Protocol):
    """A process that was started beside those of the site."""

    def is_running(self) -> bool: ...

    def stop(self) -> None: ...


class ProcessControl(Protocol):
    """The processes of a throw-away site; a site that people use offers none."""

    @property
    def roles(self) -> Collection[str]:
        """web, worker, payer, mailer, ticker, beat, sandbox, valkey, postgresql."""

    def pids(self, role: str) -> list[int]: ...

    def replace(self, role: str, *, victim: int = 0) -> int:
        """Kill a process and wait for its successor, whose id is returned; 0 if none came."""

    def start_second_beat(self) -> ExtraProcess: ...

    def set_clock(self, seconds: float) -> None:
        """Shift the clock of processes that start from now on."""
