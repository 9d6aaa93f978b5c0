"""The line as one server process knows it: enough to compute every rank without asking Redis."""

from bisect import bisect_left, insort
from collections.abc import Sequence

from waiting_queue.tick_message import TickMessage


class LocalRanks:
    """Numbers are given one by one, so a rank follows from the head and from who is gone."""

    def __init__(self, numbers: Sequence[int], message: TickMessage) -> None:
        """From the numbers in line, ascending, read after that message."""
        self.head, self.last = message.head, message.last
        self.gaps = _missing(numbers, self.head, self.last)

    def follow(self, message: TickMessage) -> None:
        """Everybody among the changes is out of the line, whatever happened to them."""
        for _person, number in message.changes:
            if number >= self.head and not self._is_gap(number):
                insort(self.gaps, number)
        self.head, self.last = message.head, message.last
        del self.gaps[: bisect_left(self.gaps, self.head)]

    def ahead(self, number: int) -> int:
        """How many people are in front of this number."""
        return number - self.head - bisect_left(self.gaps, number)

    def has(self, number: int) -> bool:
        """Whether this number is in line, as far as this process knows."""
        return self.head <= number <= self.last and not self._is_gap(number)

    def _is_gap(self, number: int) -> bool:
        at = bisect_left(self.gaps, number)
        return at < len(self.gaps) and self.gaps[at] == number


def _missing(numbers: Sequence[int], head: int, last: int) -> list[int]:
    gaps: list[int] = []
    expected = head
    for number in [*numbers, last + 1]:
        gaps.extend(range(expected, number))
        expected = max(expected, number + 1)
    return gaps
