"""Local ranks agree with a plain list, whatever messages they were built from."""

from bisect import bisect_left
from dataclasses import dataclass, field

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from waiting_queue.live.local_ranks import LocalRanks
from waiting_queue.tick_message import Change, TickMessage


@dataclass
class Sale:
    """The line as a plain list, and what its messages say."""

    line: list[int] = field(default_factory=list)
    last: int = 0
    turn: int = 0
    changes: list[Change] = field(default_factory=list)

    def join(self, people: int) -> None:
        for _ in range(people):
            self.last += 1
            self.line.append(self.last)

    def walk_in(self, _: int) -> None:
        """Admitted in the same breath: a number that nobody ever waits with."""
        self.last += 1
        self.changes.append(("walker", self.last))

    def leave(self, place: int) -> None:
        if self.line:
            self.changes.append(("leaver", self.line.pop(place % len(self.line))))

    def call(self, people: int) -> None:
        """Some have claimed by the next message: they are among the changes twice."""
        called, self.line = self.line[:people], self.line[people:]
        self.changes += [("called", number) for number in called + called[::2]]

    def skip(self, _: int) -> None:
        """More changes than one message can hold: a turn is skipped."""
        self.changes, self.turn = [], self.turn + 1

    def message(self) -> TickMessage:
        self.turn, changes, self.changes = self.turn + 1, self.changes, []
        head = self.line[0] if self.line else self.last + 1
        return TickMessage(7, self.turn, "e", head=head, last=self.last, changes=changes)


VERBS = [
    "join",
    "join",
    "leave",
    "leave",
    "call",
    "walk_in",
    "skip",
    "message",
    "message",
    "forget",
]
histories = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(1, 9)), max_size=80)
History = list[tuple[str, int]]


def mistakes(history: History, kind: type[LocalRanks]) -> list[str]:
    """Follow a history as a server does; where the ranks were wrong."""
    sale, ranks, before, wrong = Sale(), None, None, []
    for verb, number in history:
        if verb == "forget":
            ranks = None
        elif verb != "message":
            getattr(sale, verb)(number)
        else:
            message, truth = sale.message(), list(sale.line)
            if ranks and before and message.comes_after(before):
                ranks.follow(message)
            else:
                sale.leave(number), sale.join(number), sale.walk_in(number), sale.leave(number)
                ranks = kind(list(sale.line), message)  # the line is read a moment later
                truth = [one for one in truth if one in sale.line]
            wrong += compared(ranks, truth, message)
            before = message
    return wrong


def compared(ranks: LocalRanks, truth: list[int], message: TickMessage) -> list[str]:
    aheads = {number: ranks.ahead(number) for number in truth}
    right = {number: place for place, number in enumerate(truth)}
    known = [number for number in range(message.last + 1) if ranks.has(number)]
    places = [] if aheads == right else [f"places {aheads}, but it is {right}"]
    return places + ([] if known == truth else [f"in line {known}, but it is {truth}"])


@settings(max_examples=400, deadline=None)
@given(histories)
def test_every_rank_is_the_one_in_a_plain_list(history):
    assert mistakes(history, LocalRanks) == []


class WithoutGaps(LocalRanks):
    """The number alone: as if nobody ever left."""

    def ahead(self, number: int) -> int:
        return number - self.head


class WithoutChanges(LocalRanks):
    """Follows the head, but not the changes."""

    def follow(self, message: TickMessage) -> None:
        super().follow(TickMessage(7, message.turn, "e", head=message.head, last=message.last))


class CountsTwice(LocalRanks):
    """Takes a number that is mentioned twice for two people."""

    def follow(self, message: TickMessage) -> None:
        self.gaps = sorted(self.gaps + [n for _, n in message.changes if n >= self.head])
        self.head, self.last = message.head, message.last
        del self.gaps[: bisect_left(self.gaps, self.head)]


class OnlyUpToTheMessage(LocalRanks):
    """Forgets the gaps among those who came between the message and the reading."""

    def __init__(self, numbers: list[int], message: TickMessage) -> None:
        super().__init__(numbers, message)
        self.gaps = [gap for gap in self.gaps if gap <= message.last]
        self.numbers = numbers

    def follow(self, message: TickMessage) -> None:
        known = [change for change in message.changes if change[1] <= self.last]
        super().follow(
            TickMessage(7, message.turn, "e", head=message.head, last=message.last, changes=known)
        )


@pytest.mark.parametrize("wrong", [WithoutGaps, WithoutChanges, CountsTwice, OnlyUpToTheMessage])
def test_control_a_planted_mistake_is_found(wrong):
    try:
        found = find(histories, lambda history: bool(mistakes(history, wrong)))
    except NoSuchExample:
        pytest.fail("nothing shows this mistake")
    assert mistakes(found, LocalRanks) == []


def test_numbers_that_left_or_were_not_given_yet_are_not_in_line():
    ranks = LocalRanks([3, 5], TickMessage(7, 1, "e", head=3, last=5))

    assert [number for number in range(9) if ranks.has(number)] == [3, 5]


def test_an_empty_line_is_followed_by_the_next_numbers():
    ranks = LocalRanks([], TickMessage(7, 1, "e", head=5, last=4))

    ranks.follow(TickMessage(7, 2, "e", head=5, last=6))

    assert [ranks.ahead(number) for number in (5, 6)] == [0, 1]
    assert not ranks.has(4)
