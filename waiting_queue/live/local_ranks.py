"""A line as one server process knows it: enough to tell everybody's place without asking."""

from bisect import bisect_left, insort
from collections.abc import Sequence

from waiting_queue.tick_message import TickMessage


class LocalRanks:
    """Numbers are given one by one, so a place follows from the head and from who is gone."""

    def __init__(self, numbers: Sequence[int], pulse: TickMessage) -> None:
        """From the numbers in line, ascending, read after that pulse."""
        self.head, self.last = pulse.head, pulse.last
        self.gaps = _missing(numbers, self.head, self.last)

    def follow(self, pulse: TickMessage) -> None:
        """Whoever is in the news is not in line, whatever happened to them."""
        for _person, number in pulse.news:
            if number >= self.head and not self._is_gap(number):
                insort(self.gaps, number)
        self.head, self.last = pulse.head, pulse.last
        del self.gaps[: bisect_left(self.gaps, self.head)]

    def ahead(self, number: int) -> int:
        """People in front of this number."""
        return number - self.head - bisect_left(self.gaps, number)

    def has(self, number: int) -> bool:
        """Is this number in line, as far as is known here?"""
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
