"""How long somebody waits for the gateway, over several calls."""

from dataclasses import dataclass, field

from ticketing.core import clock

LEAST = 0.5


@dataclass(frozen=True)
class Patience:
    seconds: float
    since: float = field(default_factory=clock.monotonic)

    @property
    def left(self) -> float:
        """Never nothing: a call that is due is worth a moment."""
        return max(LEAST, self.seconds - (clock.monotonic() - self.since))
