"""What is going on, counted as it happens, for whoever watches."""

from collections import Counter, deque
from collections.abc import Iterable

from ticketing.rehearsal.simulator.history import STAGE, Deed

RECENT = 10.0  # seconds that rates and times are taken over
KEPT = 4_000
TIMED = ("join", "look", "connect", "claim", "map", "hold", "pay", "confirm")
ENDS = (
    *("bought", "gave_back", "left", "gave_up", "expired", "sold_out", "closed"),
    *("turned_away", "refused", "declined"),
)
ATTACKS = ("forge", "replay", "skip")


class Tally:
    """Counts by what was done, and the last few seconds of each."""

    def __init__(self) -> None:
        self.states: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.connections = self.deeds = 0
        self.attacks = self.attacks_refused = 0
        self._times: dict[str, deque[tuple[float, float]]] = {}
        self._last: dict[str, deque[float]] = {}

    def moved(self, before: str, after: str) -> None:
        if before:
            self.states[before] -= 1
        self.states[after] += 1

    def __call__(self, deed: Deed) -> None:
        if deed.who == STAGE:
            return
        self.deeds += 1
        if deed.did in ATTACKS:
            self.attacks += 1
            self.attacks_refused += 400 <= deed.status < 500
        elif deed.done:
            self._succeeded(deed)
        else:
            self.refusals[deed.code or _word(deed.status)] += 1
        if deed.did in TIMED and deed.status:
            times = self._times.setdefault(deed.did, deque(maxlen=KEPT))
            times.append((deed.ended, deed.ended - deed.began))

    def _succeeded(self, deed: Deed) -> None:
        did = deed.did
        if did in ("confirm", "ask") and deed.saw.get("state") != "SUCCEEDED":
            return
        if did == "ask":
            did = "confirm"
        self.connections += (did == "connect") - (did == "dropped")
        self.done[did] += 1
        self._last.setdefault(did, deque(maxlen=KEPT)).append(deed.ended)

    def per_second(self, did: str, now: float) -> float:
        recent = self._last.get(did)
        if not recent:
            return 0.0
        span = RECENT if len(recent) < KEPT or recent[0] < now - RECENT else now - recent[0]
        return sum(1 for at in recent if at > now - RECENT) / max(span, 0.1)

    def percentiles(self, did: str, now: float) -> tuple[float, float, float] | None:
        """Milliseconds of p50, p95 and p99, or nothing if nobody called lately."""
        times = sorted(took for at, took in self._times.get(did, ()) if at > now - RECENT)
        if not times:
            return None
        return (_part(times, 0.5), _part(times, 0.95), _part(times, 0.99))

    def count(self, states: Iterable[str]) -> int:
        return sum(self.states[state] for state in states)


def _part(times: list[float], share: float) -> float:
    return 1000 * times[min(int(share * len(times)), len(times) - 1)]


def _word(status: int) -> str:
    return f"HTTP {status}" if status else "no answer"
