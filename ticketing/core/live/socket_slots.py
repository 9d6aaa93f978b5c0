"""When newcomers may open their sockets: thousands join in a second, and may poll for some more."""

from random import uniform

from django.conf import settings

from ticketing.core.overload import Overload, overload

BURST_SECONDS = 0.5  # worth of slots that are given without any delay
# An event loop that is later than this gives fewer slots, in proportion, but never none.
CALM_SECONDS = 0.05
FEWEST = 0.125
LONGEST_SECONDS = 30.0


class SocketSlots:
    """Gives out the seconds to come, so many slots each; one object per process."""

    def __init__(self, state: Overload = overload) -> None:
        self.state = state
        self._next = 0.0

    def take(self, moment: float) -> int:
        """Take the next slot: the milliseconds until then."""
        share = min(1.0, max(CALM_SECONDS / max(self.state.lag, 0.001), FEWEST))
        per_second = settings.SOCKETS_PER_SECOND * share
        self._next = max(self._next, moment - BURST_SECONDS) + 1 / per_second
        wait = self._next - moment
        if wait > LONGEST_SECONDS:
            self._next = moment + LONGEST_SECONDS
            wait = uniform(LONGEST_SECONDS / 2, LONGEST_SECONDS)  # noqa: S311 - spreads load
        return max(round(1000 * wait), 0)


socket_slots = SocketSlots()
