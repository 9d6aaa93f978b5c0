"""Live counters of what the users do, for the terminal."""

from collections import Counter, deque

from ticketing.rehearsal.simulator.history import RUNNER, Record

RECENT = 10.0  # seconds that rates and percentiles are taken over
MAX_RECENT = 4_000
TIMED = ("join", "poll", "connect", "claim", "map", "hold", "pay", "confirm")
ATTACKS = ("forge", "replay", "skip")


class Counters:
    """Counts users by phase and calls by action, with the times of the last few seconds."""

    def __init__(self) -> None:
        self.phases: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.connections = 0
        self.attacks = self.attacks_refused = 0
        self._times: dict[str, deque[tuple[float, float]]] = {}
        self._last: dict[str, deque[float]] = {}

    def change_phase(self, before: str, after: str) -> None:
        if before:
            self.phases[before] -= 1
        self.phases[after] += 1

    def __call__(self, record: Record) -> None:
        if record.user == RUNNER:
            return
        if record.action in ATTACKS:
            self.attacks += 1
            self.attacks_refused += 400 <= record.status < 500
        elif record.done:
            self._count_success(record)
        else:
            unnamed = f"HTTP {record.status}" if record.status else "no answer"
            self.refusals[record.code or unnamed] += 1
        if record.action in TIMED and record.status:
            times = self._times.setdefault(record.action, deque(maxlen=MAX_RECENT))
            times.append((record.ended, record.ended - record.began))

    def _count_success(self, record: Record) -> None:
        action = record.action
        if action in ("confirm", "payment_status"):
            if record.data.get("state") != "SUCCEEDED":
                return
            action = "confirm"
        self.connections += (action == "connect") - (action == "disconnect")
        self._last.setdefault(action, deque(maxlen=MAX_RECENT)).append(record.ended)

    def per_second(self, action: str, now: float) -> float:
        recent = self._last.get(action)
        if not recent:
            return 0.0
        is_whole = len(recent) < MAX_RECENT or recent[0] < now - RECENT
        span = RECENT if is_whole else now - recent[0]
        return sum(1 for at in recent if at > now - RECENT) / max(span, 0.1)

    def percentiles(self, action: str, now: float) -> tuple[float, float, float] | None:
        """Milliseconds of p50, p95 and p99, or None without recent calls."""
        times = sorted(took for at, took in self._times.get(action, ()) if at > now - RECENT)
        if not times:
            return None
        return (_percentile(times, 0.5), _percentile(times, 0.95), _percentile(times, 0.99))


def _percentile(times: list[float], share: float) -> float:
    return 1000 * times[min(int(share * len(times)), len(times) - 1)]
