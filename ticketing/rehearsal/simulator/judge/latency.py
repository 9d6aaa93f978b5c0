"""The number of calls in each second, and how long they took."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from ticketing.rehearsal.simulator.history import Record

STEP = math.log(1.05)  # durations are kept to 5 %
SHORTEST = 0.0005


@dataclass
class Second:
    calls: int = 0
    done: int = 0
    times: Counter[int] = field(default_factory=Counter)


class CallTimes:
    """Calls of one kind, second by second since the beginning."""

    def __init__(self, records: Iterable[Record], began: float) -> None:
        self.seconds: dict[int, Second] = defaultdict(Second)
        for record in records:
            second = self.seconds[int(record.ended - began)]
            second.calls += 1
            second.done += record.done
            second.times[round(math.log(max(record.ended - record.began, SHORTEST)) / STEP)] += 1

    @property
    def calls(self) -> int:
        return sum(second.calls for second in self.seconds.values())

    def done_at(self, second: int) -> int:
        return self.seconds[second].done if second in self.seconds else 0

    def times_in(self, first: int, last: int) -> Counter[int]:
        times: Counter[int] = Counter()
        for second in range(first, last + 1):
            if second in self.seconds:
                times.update(self.seconds[second].times)
        return times

    def within(self, first: int, last: int, share: float) -> float | None:
        """A percentile of the durations in seconds; `share` 0.95 is p95."""
        return percentile(self.times_in(first, last), share)


def percentile(times: Counter[int], share: float) -> float | None:
    wanted, seen = share * times.total(), 0
    for step, count in sorted(times.items()):
        seen += count
        if seen >= wanted:
            return math.exp(step * STEP)
    return None


def live_connections(records: Iterable[Record], began: float, seconds: int) -> list[int]:
    """The number of open connections at the end of each second."""
    changes: Counter[int] = Counter()
    for record in records:
        if record.done:
            changes[int(record.ended - began)] += 1 if record.action == "connect" else -1
    found, now = [], 0
    for second in range(seconds + 1):
        now = max(now + changes[second], 0)
        found.append(now)
    return found
