"""Refuses calls to a server that is silent, so that only one caller a second waits for it."""

from collections import Counter
from collections.abc import Callable
from weakref import WeakSet

from ticketing.core import clock
from ticketing.core.metrics.families import Gauge

OPEN_SECONDS = 1.0


class Breaker:
    """Opened by a timeout, closed by an answer; while open, one caller a second may try."""

    def __init__(self, error: Callable[[str], Exception], server: str = "") -> None:
        self._error, self.server = error, server
        self._open_until = 0.0
        self.times_opened = 0
        if server:
            _watched.add(self)

    def require_closed(self) -> None:
        if not self._open_until:
            return
        now = clock.monotonic()
        if now < self._open_until:
            raise self._error("The server does not answer; calls are paused for a moment")
        self._open_until = now + OPEN_SECONDS  # this caller tries, the others don't wait for it

    def open(self) -> None:
        self.times_opened += 1
        self._open_until = clock.monotonic() + OPEN_SECONDS

    def close(self) -> None:
        self._open_until = 0.0

    def has_not_opened_since(self, times: int) -> bool:
        """Whether it is closed, and was all along since it had been opened so many times."""
        return not self._open_until and self.times_opened == times

    @property
    def is_open(self) -> bool:
        return bool(self._open_until)


_watched: WeakSet[Breaker] = WeakSet()


def _open_breakers() -> list[tuple[tuple[str, ...], float]]:
    """Each server of a cluster has a breaker."""
    counts = Counter[str]()
    for breaker in list(_watched):
        counts[breaker.server] += breaker.is_open
    return [((server,), count) for server, count in counts.items()]


Gauge("breakers_open", "Servers to which this process makes no calls.", ["server"], _open_breakers)
