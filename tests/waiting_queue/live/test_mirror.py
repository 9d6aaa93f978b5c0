"""A mirror of the line says what the line says, however it came to know."""

from bisect import bisect_left
from dataclasses import dataclass, field

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from waiting_queue.live.local_ranks import LocalRanks
from waiting_queue.tick_message import News, TickMessage


@dataclass
class Sale:
    """The line as a plain list, and what its pulses say."""

    line: list[int] = field(default_factory=list)
    last: int = 0
    turn: int = 0
    news: list[News] = field(default_factory=list)

    def join(self, people: int) -> None:
        for _ in range(people):
            self.last += 1
            self.line.append(self.last)

    def walk_in(self, _: int) -> None:
        """Admitted in the same breath: a number that nobody ever waits with."""
        self.last += 1
        self.news.append(("walker", self.last))

    def leave(self, place: int) -> None:
        if self.line:
            self.news.append(("leaver", self.line.pop(place % len(self.line))))

    def call(self, people: int) -> None:
        """Some have claimed by the next pulse: they are in the news twice."""
        called, self.line = self.line[:people], self.line[people:]
        self.news += [("called", number) for number in called + called[::2]]

    def skip(self, _: int) -> None:
        """More news than is worth telling: a turn that nobody hears of."""
        self.news, self.turn = [], self.turn + 1

    def pulse(self) -> TickMessage:
        self.turn, news, self.news = self.turn + 1, self.news, []
        head = self.line[0] if self.line else self.last + 1
        return TickMessage(7, self.turn, "e", head=head, last=self.last, news=news)


VERBS = ["join", "join", "leave", "leave", "call", "walk_in", "skip", "pulse", "pulse", "forget"]
histories = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(1, 9)), max_size=80)
History = list[tuple[str, int]]


def mistakes(history: History, kind: type[LocalRanks]) -> list[str]:
    """Follow a history as a server does; where the mirror was wrong."""
    sale, mirror, before, wrong = Sale(), None, None, []
    for verb, number in history:
        if verb == "forget":
            mirror = None
        elif verb != "pulse":
            getattr(sale, verb)(number)
        else:
            pulse, truth = sale.pulse(), list(sale.line)
            if mirror and before and pulse.comes_after(before):
                mirror.follow(pulse)
            else:
                sale.leave(number), sale.join(number), sale.walk_in(number), sale.leave(number)
                mirror = kind(list(sale.line), pulse)  # the line is read a moment later
                truth = [one for one in truth if one in sale.line]
            wrong += compared(mirror, truth, pulse)
            before = pulse
    return wrong


def compared(mirror: LocalRanks, truth: list[int], pulse: TickMessage) -> list[str]:
    aheads = {number: mirror.ahead(number) for number in truth}
    right = {number: place for place, number in enumerate(truth)}
    known = [number for number in range(pulse.last + 1) if mirror.has(number)]
    places = [] if aheads == right else [f"places {aheads}, but it is {right}"]
    return places + ([] if known == truth else [f"in line {known}, but it is {truth}"])


@settings(max_examples=400, deadline=None)
@given(histories)
def test_everybody_has_the_place_that_a_plain_list_says(history):
    assert mistakes(history, LocalRanks) == []


class WithoutGaps(LocalRanks):
    """The number alone: as if nobody ever left."""

    def ahead(self, number: int) -> int:
        return number - self.head


class Deaf(LocalRanks):
    """Follows the head, but not the news."""

    def follow(self, pulse: TickMessage) -> None:
        super().follow(TickMessage(7, pulse.turn, "e", head=pulse.head, last=pulse.last))


class Forgetful(LocalRanks):
    """Takes what is said twice for two people."""

    def follow(self, pulse: TickMessage) -> None:
        self.gaps = sorted(self.gaps + [n for _, n in pulse.news if n >= self.head])
        self.head, self.last = pulse.head, pulse.last
        del self.gaps[: bisect_left(self.gaps, self.head)]


class OnlyAsFarAsItWasTold(LocalRanks):
    """Forgets the gaps among those who came between the pulse and the reading."""

    def __init__(self, numbers: list[int], pulse: TickMessage) -> None:
        super().__init__(numbers, pulse)
        self.gaps = [gap for gap in self.gaps if gap <= pulse.last]
        self.numbers = numbers

    def follow(self, pulse: TickMessage) -> None:
        known = [news for news in pulse.news if news[1] <= self.last]
        super().follow(
            TickMessage(7, pulse.turn, "e", head=pulse.head, last=pulse.last, news=known)
        )


@pytest.mark.parametrize("wrong", [WithoutGaps, Deaf, Forgetful, OnlyAsFarAsItWasTold])
def test_control_a_planted_mistake_is_found(wrong):
    try:
        found = find(histories, lambda history: bool(mistakes(history, wrong)))
    except NoSuchExample:
        pytest.fail("nothing shows this mistake")
    assert mistakes(found, LocalRanks) == []


def test_who_is_not_in_line_yet_or_any_more_is_not_in_the_mirror():
    mirror = LocalRanks([3, 5], TickMessage(7, 1, "e", head=3, last=5))

    assert [number for number in range(9) if mirror.has(number)] == [3, 5]


def test_an_empty_line_has_room_for_the_next():
    mirror = LocalRanks([], TickMessage(7, 1, "e", head=5, last=4))

    mirror.follow(TickMessage(7, 2, "e", head=5, last=6))

    assert [mirror.ahead(number) for number in (5, 6)] == [0, 1]
    assert not mirror.has(4)
