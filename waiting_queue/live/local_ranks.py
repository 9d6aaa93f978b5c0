"""The line as one server process knows it: enough to compute every rank without asking Redis."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from waiting_queue.keys import LANE_NUMBERS
from waiting_queue.tick_message import Change, TickMessage


class LocalRanks:
    """Numbers are given one by one, so a rank follows from the head and from who is gone."""

    def __init__(self, numbers: Sequence[int], message: TickMessage) -> None:
        """From the numbers in line, ascending, read after that message."""
        self.head, self.last = message.head, message.last
        self.gaps = _missing(numbers, self.head, self.last)

    def follow(self, message: TickMessage) -> None:
        """Everybody among the changes is out of the line, whatever happened to them."""
        self.head, self.last = message.head, message.last
        del self.gaps[: bisect_left(self.gaps, self.head)]
        numbers = {number for _person, number in message.changes if number >= self.head}
        if gone := sorted(number for number in numbers if not self._is_gap(number)):
            self.gaps += gone
            self.gaps.sort()  # merges two sorted runs: with a million gaps faster than insertions

    def ahead(self, number: int) -> int:
        """How many people are in front of this number."""
        return number - self.head - bisect_left(self.gaps, number)

    def has(self, number: int) -> bool:
        """Whether this number is in line, as far as this process knows."""
        return self.head <= number <= self.last and not self._is_gap(number)

    def _is_gap(self, number: int) -> bool:
        at = bisect_left(self.gaps, number)
        return at < len(self.gaps) and self.gaps[at] == number


class LaneRanks:
    """The same for a line that has lanes: ranks within each of them."""

    def __init__(self, numbers: Sequence[int], message: TickMessage) -> None:
        self._lanes: dict[int, LocalRanks] = {}
        for lane, part in _by_lane(message).items():
            first, end = (bisect_left(numbers, one * LANE_NUMBERS) for one in (lane, lane + 1))
            self._lanes[lane] = LocalRanks(numbers[first:end], part)

    def follow(self, message: TickMessage) -> None:
        for lane, part in _by_lane(message).items():
            self._lanes[lane].follow(part)

    def ahead(self, number: int) -> int:
        """How many people are in front of this number in its lane."""
        lane = self._lanes.get(number // LANE_NUMBERS)
        return lane.ahead(number) if lane else LANE_NUMBERS

    def has(self, number: int) -> bool:
        lane = self._lanes.get(number // LANE_NUMBERS)
        return lane is not None and lane.has(number)


def ranks_of(numbers: Sequence[int], message: TickMessage) -> LocalRanks | LaneRanks:
    """From the numbers in line, ascending, read after that message."""
    return (LaneRanks if message.lanes else LocalRanks)(numbers, message)


def _by_lane(message: TickMessage) -> dict[int, TickMessage]:
    """What a message says of each lane."""
    changes: dict[int, list[Change]] = {}
    for change in message.changes:
        changes.setdefault(change[1] // LANE_NUMBERS, []).append(change)
    return {
        lane: replace(message, head=head, last=last, changes=changes.get(lane, []))
        for lane, head, last, *_ in message.lanes
    }


def _missing(numbers: Sequence[int], head: int, last: int) -> list[int]:
    gaps: list[int] = []
    expected = head
    for number in [*numbers, last + 1]:
        gaps.extend(range(expected, number))
        expected = max(expected, number + 1)
    return gaps
