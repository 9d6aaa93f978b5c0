"""The clock of a rehearsal: the wall's time once, and from then on steps of its own."""

from ticketing.core import clock


class Steady:
    """Seconds since 1970 that never step, whatever becomes of the machine's clock meanwhile."""

    def __init__(self) -> None:
        self._wall_at_zero = clock.now().timestamp() - clock.monotonic()

    def __call__(self) -> float:
        return self._wall_at_zero + clock.monotonic()
