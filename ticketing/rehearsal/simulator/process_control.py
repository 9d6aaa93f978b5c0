"""What the simulator needs of a site whose processes it may kill."""

from collections.abc import Collection
from typing import Protocol


class ExtraProcess(Protocol):
    """A process that was started beside those of the site."""

    def is_running(self) -> bool: ...

    def stop(self) -> None: ...


class NetworkControl(Protocol):
    """The connections between a throw-away site's processes and the servers they use.

    A link is named by both, such as web-valkey: web or workers, and postgresql, valkey or gateway.
    """

    def disturb(
        self,
        links: Collection[str],
        kind: str,
        *,
        amount: float = 0.0,
        directions: Collection[str] = ("up", "down"),
    ) -> None:
        """Until `restore`. Kinds: delay, stall, cut, half_close, throttle."""

    def restore(self) -> None: ...


class ProcessControl(Protocol):
    """The processes of a throw-away site; a site that people use offers none."""

    @property
    def roles(self) -> Collection[str]:
        """web, worker, payer, mailer, ticker, beat, sandbox, valkey, postgresql."""

    def pids(self, role: str) -> list[int]: ...

    def replace(self, role: str, *, victim: int = 0) -> int:
        """Kill a process and wait for its successor, whose id is returned; 0 if none came."""

    @property
    def network(self) -> NetworkControl | None: ...

    def kill_database_connection(self) -> bool:
        """Kill the process of one connection, so that PostgreSQL ends all of them and recovers."""

    def empty_redis(self) -> bool:
        """Delete all data of Valkey."""

    def cut_power(self) -> bool:
        """Stop PostgreSQL and Valkey like a power cut: Valkey has lost its last second."""

    def start_second_beat(self) -> ExtraProcess: ...

    def set_clock(self, seconds: float) -> None:
        """Shift the clock of processes that start from now on."""
