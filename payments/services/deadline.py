"""A time limit over several gateway calls."""

from dataclasses import dataclass, field

from ticketing.core import clock

SHORTEST_TIMEOUT = 0.5


@dataclass(frozen=True)
class Deadline:
    seconds: float
    started: float = field(default_factory=clock.monotonic)

    @property
    def timeout(self) -> float:
        """What is left for the next call, but never nothing, so that it can still succeed."""
        return max(SHORTEST_TIMEOUT, self.seconds - (clock.monotonic() - self.started))
