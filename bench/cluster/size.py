"""How large a sale is, and how long a fault may take: by the processors and by what else they do.

A fault is judged by whether the system recovers from it, not by how slow a busy machine is.
"""

import os
from dataclasses import dataclass

# Simulated people share the processors with every host that they come to.
FANS_PER_PROCESSOR, MAX_FANS = 50, 500
# On a machine that has nothing else to do. Waiting longer costs nothing but time.
RETURN_SECONDS, MAX_RETURN_SECONDS = 120.0, 480.0
# People come in during this share of the sale, so that they meet all faults.
SHARE_OF_ADMISSIONS = 0.8


@dataclass(frozen=True)
class Size:
    """What a run is asked to do, and on which machine."""

    fans: int
    minutes: float
    return_seconds: float
    processors: int
    load: float

    @property
    def admit_per_second(self) -> float:
        return round(self.fans / (SHARE_OF_ADMISSIONS * 60 * self.minutes), 2)

    def __str__(self) -> str:
        return (
            f"{self.fans} people in {self.minutes:g} minutes, {self.admit_per_second:g} let in a"
            f" second; a fault may take {self.return_seconds:.0f} s to be over"
            f" ({self.processors} processors, load average {self.load:.1f})."
        )


def choose_size(
    *,
    fans: int | None,
    minutes: float,
    return_seconds: float | None,
    processors: int | None = None,
    load: float | None = None,
) -> Size:
    """What is not given follows from the machine."""
    processors = processors or os.cpu_count() or 1
    load = os.getloadavg()[0] if load is None else load
    slower = max(1.0, load / processors)
    return Size(
        fans=fans or min(MAX_FANS, FANS_PER_PROCESSOR * processors),
        minutes=minutes,
        return_seconds=return_seconds or min(MAX_RETURN_SECONDS, RETURN_SECONDS * slower),
        processors=processors,
        load=load,
    )
