"""A line in virtual time: who is called when, who comes, how long they stay, what they are told."""

import random
from dataclasses import dataclass, field
from typing import Any

from tests.waiting_queue.line import Line
from waiting_queue import selectors, store
from waiting_queue.store import Standing


@dataclass
class Estimate:
    """What somebody was told, and how long it took."""

    at: int
    person: str
    expected: int | None
    low: int | None
    high: int | None
    actual: int = -1

    @property
    def error(self) -> float:
        """As a share of the wait; within two ticks it is no error."""
        off = abs((self.expected if self.expected is not None else 10**6) - self.actual)
        return max(off - 2, 0) / max(self.actual, 1)

    @property
    def is_within(self) -> bool:
        if self.low is None:
            return False
        return self.low - 2 <= self.actual <= (10**9 if self.high is None else self.high + 2)


@dataclass
class Replay:
    """Everybody waits from the start. Those who come claim within a few seconds."""

    people: int
    no_shows: float = 0.0
    stay: tuple[int, int] = (10, 30)  # seconds inside, anything in between
    asks: int = 10  # seconds from one round of estimates to the next
    rules: dict[str, Any] = field(default_factory=dict)
    entered: list[int] = field(default_factory=list)  # at which second
    called: list[int] = field(default_factory=list)
    estimates: list[Estimate] = field(default_factory=list)
    most_inside: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(7)
        times = {"claim_ms": 5_000, "pass_ms": 60_000, "pass_max_ms": 600_000}
        self.line = Line().begin(**{**times, "absence_ms": 10**9, "rate": 5, "state": "paused"})
        self._run([store.join(7, str(one), self.line.now) for one in range(1, self.people + 1)])
        self.line.tick(state="open", **self.rules)
        self.claims: dict[int, list[str]] = {}
        self.leaves: dict[int, list[str]] = {}

    def run(self, seconds: int) -> "Replay":
        for second in range(1, seconds + 1):
            self.line.wait(1)
            ticked = self.line.tick()
            for person in ticked.called:
                self._call(person, second)
            self._act(second)
            self.most_inside = max(self.most_inside, ticked.ready + ticked.inside)
            if second % self.asks == 1 and ticked.waiting:
                self._ask(second)
        return self

    def entered_per_second(self, begin: int, end: int) -> float:
        return sum(begin < second <= end for second in self.entered) / (end - begin)

    def judged(self, begin: int = 0) -> list[Estimate]:
        """The estimates since then of people who were called in the end."""
        return [told for told in self.estimates if told.at >= begin and told.actual >= 0]

    def _call(self, person: str, second: int) -> None:
        self.called.append(second)
        for told in self.estimates:
            if told.person == person:
                told.actual = second - told.at
        if self.random.random() >= self.no_shows:
            self.claims.setdefault(second + self.random.randint(0, 3), []).append(person)

    def _act(self, second: int) -> None:
        now, claims, leaves = (
            self.line.now,
            self.claims.pop(second, []),
            self.leaves.pop(second, []),
        )
        self._run([store.leave(7, person, now, how="completed") for person in leaves])
        self._run([store.claim(7, person, now) for person in claims])
        for person in claims:
            self.entered.append(second)
            leaves_at = second + self.random.randint(*self.stay)
            self.leaves.setdefault(leaves_at, []).append(person)

    def _ask(self, second: int) -> None:
        """Ten people, spread over the line."""
        first, last = len(self.called) + 1, self.people
        asked = sorted({first + (last - first) * tenth // 10 for tenth in range(10)})
        found = self._run([store.peek(7, str(person), self.line.now) for person in asked])
        for person, standing in zip(asked, found, strict=True):
            if isinstance(standing, Standing) and standing.state == "waiting":
                told = Estimate(second, str(person), *selectors.eta_of(standing))
                self.estimates.append(told)

    def _run(self, calls: list[Any]) -> list[Any]:
        return store.run_all(calls) if calls else []
