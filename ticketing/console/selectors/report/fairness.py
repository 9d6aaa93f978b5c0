"""Fairness of a sale: whether people were called in the order of their numbers, and the draw.

The queue decides when people are called; each person decides when to come in, while the call
lasts. A fair sale therefore has no inversion among the calls, and may have some among the entries.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ticketing.console.selectors.report import queries
from waiting_queue import selectors as queues
from waiting_queue.models import QueueDraw, SaleQueue

EXAMPLES = 5
CALLS, ENTRIES = ("ready", "admit"), ("admit",)


@dataclass(frozen=True)
class TurnOrder:
    """How many people had a turn, and in how many pairs the higher number had it first."""

    turns: int
    inversions: int
    overtaken: list[int]  # the first few numbers that a higher number overtook


@dataclass(frozen=True)
class LobbyDraw:
    """People drawn, how many of them got a number, and how many got another than they drew."""

    people: int
    numbered: int
    misplaced: int
    checks: list[tuple[bool, str]]

    @property
    def is_correct(self) -> bool:
        return not self.misplaced and all(passed for passed, _ in self.checks)


@dataclass(frozen=True)
class Fairness:
    calls: TurnOrder
    entries: TurnOrder
    lobby: LobbyDraw | None
    lanes: list[queues.LaneShare]

    @property
    def is_fair(self) -> bool:
        return not self.calls.inversions and (self.lobby is None or self.lobby.is_correct)


def fairness(queue: SaleQueue) -> Fairness:
    calls, entries = turn_order(queue.pk, CALLS), turn_order(queue.pk, ENTRIES)
    return Fairness(calls, entries, _lobby_draw(queue), queues.lane_shares(queue.pk))


def turn_order(event_id: int, kinds: Iterable[str]) -> TurnOrder:
    """Numbers are compared within their lane."""
    counters, overtaken = defaultdict[int, InversionCounter](InversionCounter), list[int]()
    for lane, rank, number in queries.stream("turn_order", event=event_id, kinds=list(kinds)):
        if rank < counters[lane].highest and len(overtaken) < EXAMPLES:
            overtaken.append(number)
        counters[lane].add(rank)
    all_counters = counters.values()
    inversions = sum(one.found for one in all_counters)
    return TurnOrder(sum(one.added for one in all_counters), inversions, overtaken)


class InversionCounter:
    """Counts pairs in the wrong order in O(n log n), with a Fenwick tree of the ranks added so far.

    Ranks begin at 1. The tree doubles when a rank does not fit; it takes 8 bytes per person.
    """

    def __init__(self) -> None:
        self.added = self.found = self.highest = 0
        self._tree = array("q", [0, 0])

    def add(self, rank: int) -> None:
        while rank >= len(self._tree):
            size = len(self._tree)
            self._tree.extend(array("q", bytes(8 * size)))
            # Of the new nodes only the first one covers old ranks, and it covers all of them.
            self._tree[size] = self.added
        if rank < self.highest:
            self.found += self.added - self._up_to(rank)
        self.highest = max(self.highest, rank)
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


def _lobby_draw(queue: SaleQueue) -> LobbyDraw | None:
    """Check the published draw as anybody can, and compare the numbers given with it."""
    draw = QueueDraw.objects.filter(pk=queue.pk).exclude(finished_at=None).first()
    if draw is None:
        return None
    checks = queues.draw_checks(queues.published_draw(queue))
    numbered, misplaced = queries.row("lobby_draw", event=queue.pk)
    results = [(check.passed, check.description) for check in checks]
    return LobbyDraw(len(draw.people or []), numbered, misplaced, results)
