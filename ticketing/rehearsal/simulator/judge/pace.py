"""How many calls there were in each second, and how long they took."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from ticketing.rehearsal.simulator.history import Deed

STEP = math.log(1.05)  # times are kept to 5 %
LEAST = 0.0005


@dataclass
class Second:
    calls: int = 0
    done: int = 0
    times: Counter[int] = field(default_factory=Counter)


class Pace:
    """Calls of one kind, second by second since the beginning."""

    def __init__(self, deeds: Iterable[Deed], began: float) -> None:
        self.seconds: dict[int, Second] = defaultdict(Second)
        for deed in deeds:
            second = self.seconds[int(deed.ended - began)]
            second.calls += 1
            second.done += deed.done
            second.times[round(math.log(max(deed.ended - deed.began, LEAST)) / STEP)] += 1

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
        """So long took the call of this share (0.95: all but the slowest twentieth), in seconds."""
        return share_of(self.times_in(first, last), share)


def share_of(times: Counter[int], share: float) -> float | None:
    wanted, seen = share * times.total(), 0
    for step, count in sorted(times.items()):
        seen += count
        if seen >= wanted:
            return math.exp(step * STEP)
    return None


def live_connections(deeds: Iterable[Deed], began: float, seconds: int) -> list[int]:
    """Open at the end of each second."""
    changes: Counter[int] = Counter()
    for deed in deeds:
        if deed.done:
            changes[int(deed.ended - began)] += 1 if deed.did == "connect" else -1
    found, now = [], 0
    for second in range(seconds + 1):
        now = max(now + changes[second], 0)
        found.append(now)
    return found
