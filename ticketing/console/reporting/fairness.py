"""Whether everybody had their turn: the order of calls against the order of numbers, and the draw.

People are called by the line. When they come in is up to them, while their call lasts; so a fair
line has no inversion among the calls, and may have some among those who came in.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from ticketing.console.reporting import queries
from waiting_queue import selectors as queues
from waiting_queue.models import QueueDraw, SaleQueue

EXAMPLES = 5
CALLS, ENTRIES = ("ready", "admit"), ("admit",)


@dataclass(frozen=True)
class Order:
    """So many had a turn; in so many pairs the higher number had it first."""

    turns: int
    inversions: int
    overtaken: list[int]  # the first few numbers that somebody behind them overtook


@dataclass(frozen=True)
class Lobby:
    """People drawn, how many of them still got their number, and how many got another's."""

    people: int
    numbered: int
    misplaced: int
    checks: list[tuple[bool, str]]

    @property
    def holds(self) -> bool:
        return not self.misplaced and all(holds for holds, _ in self.checks)


@dataclass(frozen=True)
class Fairness:
    calls: Order
    entries: Order
    lobby: Lobby | None

    @property
    def holds(self) -> bool:
        return not self.calls.inversions and (self.lobby is None or self.lobby.holds)


def fairness(queue: SaleQueue) -> Fairness:
    calls, entries = order_of(queue.pk, CALLS), order_of(queue.pk, ENTRIES)
    return Fairness(calls, entries, _lobby(queue))


def order_of(event_id: int, kinds: Iterable[str]) -> Order:
    counter, overtaken, foremost = Inversions(), list[int](), 0
    for rank, number in queries.stream("turns", event=event_id, kinds=list(kinds)):
        counter.add(rank)
        if rank < foremost and len(overtaken) < EXAMPLES:
            overtaken.append(number)
        foremost = max(foremost, rank)
    return Order(counter.added, counter.found, overtaken)


class Inversions:
    """Counts pairs in the wrong order, in n log n steps: a Fenwick tree of ranks seen so far.

    Ranks begin at 1. The tree doubles when a rank does not fit: 8 bytes a person, and no list.
    """

    def __init__(self) -> None:
        self.added = self.found = self._highest = 0
        self._tree = array("q", [0, 0])

    def add(self, rank: int) -> None:
        while rank >= len(self._tree):
            self._double()
        if rank < self._highest:
            self.found += self.added - self._up_to(rank)
        self._highest = max(self._highest, rank)
        self.added += 1
        while rank < len(self._tree):
            self._tree[rank] += 1
            rank += rank & -rank

    def _up_to(self, rank: int) -> int:
        count = 0
        while rank:
            count += self._tree[rank]
            rank -= rank & -rank
        return count

    def _double(self) -> None:
        """Of the new nodes only the middle one stands above old ranks: it holds all of them."""
        size = len(self._tree)
        self._tree.extend(array("q", bytes(8 * size)))
        self._tree[size] = self.added


def _lobby(queue: SaleQueue) -> Lobby | None:
    """What was published, checked as anybody can; and the numbers given, checked against it."""
    draw = QueueDraw.objects.filter(pk=queue.pk).exclude(finished_at=None).first()
    if draw is None:
        return None
    checks = queues.draw_checks(queues.published_draw(queue))
    numbered, misplaced = queries.row("lobby", event=queue.pk)
    told = [(check.passed, check.description) for check in checks]
    return Lobby(len(draw.people or []), numbered, misplaced, told)
