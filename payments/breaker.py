"""Stops calling a gateway that fails, for everybody at once, and lets one call try it again."""

from dataclasses import dataclass

from payments import store
from payments.store import BreakerState
from ticketing.core import clock

PAUSE_MS = 60_000
WINDOW_MS = 60_000
# Longer than the longest call: whoever dies while trying blocks the next try for so long.
PROBE_MS = 65_000
LEAST = 10
PERCENT = 50


class Open(Exception):
    """Nobody may call now."""


@dataclass(frozen=True)
class Breaker:
    gateway: str

    def ask(self) -> bool:
        """Whether this call is the one that tries it again."""
        word, left = store.ask(self.gateway, now_ms=_now_ms(), pause_ms=PAUSE_MS, probe_ms=PROBE_MS)
        if word == "open":
            raise Open(f"for another {left / 1000:.0f} s")
        return word == "probe"

    def tell(self, went_well: bool, *, is_try: bool = False) -> None:
        """A refusal went well, too: the gateway answered."""
        rules = {"window_ms": WINDOW_MS, "least": LEAST, "percent": PERCENT}
        store.report(self.gateway, now_ms=_now_ms(), went_well=went_well, is_try=is_try, **rules)

    def look(self) -> BreakerState:
        return store.look(self.gateway, now_ms=_now_ms(), pause_ms=PAUSE_MS, window_ms=WINDOW_MS)


def _now_ms() -> int:
    return int(clock.now().timestamp() * 1000)
