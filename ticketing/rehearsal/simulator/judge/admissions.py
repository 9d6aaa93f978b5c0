"""When people's turns came, from the queue's journal.

The journal is in the order in which the queue was changed, whatever the clocks said. A *call* is
what takes a place inside: being told that it is one's turn, or coming in at once.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from ticketing.rehearsal.simulator.history import JournalEntry, Record
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.parties import ENDINGS

# As in the queue itself: permits of so many seconds without ticks are not lost.
MISSED_SECONDS = 60.0
# Ticks come every second, and so do the snapshots that tell the age of the last tick.
TICK_SECONDS = 1.0
AROUND_SECONDS = 10.0


def calls(journal: list[JournalEntry]) -> Iterator[tuple[JournalEntry, int]]:
    """Each call, and how many were called or inside right after it."""
    ready: set[int] = set()
    inside: set[int] = set()
    for entry in journal:
        if entry.kind == "ready":
            ready.add(entry.person)
            yield entry, len(ready) + len(inside)
        elif entry.kind == "admit":
            was_called = entry.person in ready
            ready.discard(entry.person)
            inside.add(entry.person)
            if not was_called:
                yield entry, len(ready) + len(inside)
        elif entry.kind in ENDINGS:
            ready.discard(entry.person)
            inside.discard(entry.person)


def place_calls(journal: list[JournalEntry]) -> Iterator[JournalEntry]:
    """The calls that take a turn and a permit.

    Companions are called with their leader, and an operator's list is for people out of turn.
    """
    bypassing: set[int] = set()
    called = {id(entry) for entry, _there in calls(journal)}
    for entry in journal:
        if entry.kind == "bypass":
            bypassing.add(entry.person)
        elif id(entry) in called:
            if entry.person not in bypassing and entry.leader in (None, entry.person):
                yield entry
            bypassing.discard(entry.person)


def no_shows(journal: list[JournalEntry]) -> Iterator[float]:
    """When calls ended without their people coming in; of a party, when its leader did not."""
    ready: set[int] = set()
    for entry in journal:
        if entry.kind == "ready" and entry.leader in (None, entry.person):
            ready.add(entry.person)
        elif entry.person in ready:
            ready.remove(entry.person)
            if entry.kind in ENDINGS:
                yield entry.at


class TickGaps:
    """How long the queue was without a tick, by the snapshots and the gaps between them."""

    def __init__(self, evidence: IndexedEvidence) -> None:
        samples = sorted(evidence.of("sample"), key=lambda record: record.ended)
        answered = [record for record in samples if record.done]
        self.times = [record.ended for record in answered]
        starts = [*self.times[:1], *self.times]
        silences = [ended - began for began, ended in zip(starts, self.times, strict=False)]
        # The age of a tick is the difference between two servers' clocks.
        apart = evidence.clocks.apart
        self.gaps = [gap + apart for gap in _gaps(answered, silences)]
        self.longest = min(max(self.gaps, default=2 * TICK_SECONDS), MISSED_SECONDS)

    def longest_around(self, at: float) -> float:
        first = bisect_left(self.times, at - AROUND_SECONDS)
        # And the next snapshot, however late: it tells how long there was none.
        last = bisect_right(self.times, at + AROUND_SECONDS) + 1
        nearby = max(self.gaps[first:last], default=MISSED_SECONDS if not self.times else 0)
        return min(max(nearby, 2 * TICK_SECONDS), MISSED_SECONDS)


def _gaps(samples: list[Record], silences: list[float]) -> Iterator[float]:
    """The longest time without a tick that each sample allows.

    It began with the last tick that the sample before knew of, and ended with the one this sample
    knows of. While the line is being restored a sample knows of none, and the gap goes on.
    """
    before = 0.0
    for record, silence in zip(samples, silences, strict=True):
        known = record.data.get("tick_age_seconds")
        age = float(known) if known is not None else before + silence
        yield max(age, silence - TICK_SECONDS, before + silence - age) + TICK_SECONDS
        before = age


def pauses(evidence: IndexedEvidence) -> Iterator[tuple[float, float]]:
    """From a pause until the next move was tried, successful or not."""
    moves = sorted(evidence.of("move"), key=lambda record: record.began)
    for record, after in pairwise(moves):
        if record.done and record.data.get("move") == "pause":
            yield record.ended, after.began
