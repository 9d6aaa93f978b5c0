"""Whether the operations on one register fit one order: Wing and Gong's search, with memory.

An order fits if every operation happens between its beginning and its end, and finds the value that
the one before it has left. The search tries what may come next, and remembers what it has tried by
the operations done and the value, as Lowe proposes: two ways to the same point go on alike.
"""

from collections.abc import Sequence

from ticketing.rehearsal.simulator.judge.clocks import FOREVER
from ticketing.rehearsal.simulator.judge.seat_operations import FREE, SeatOperation


def misfit(operations: Sequence[SeatOperation]) -> SeatOperation | None:
    """The first operation that fits no order, or None. Those that never end may be left out."""
    ordered = sorted(operations, key=lambda operation: operation.began)
    required = sum(1 << at for at, one in enumerate(ordered) if one.ended < FOREVER)
    furthest, tried, open_ends = 0, set[tuple[int, str]](), [(0, FREE)]
    while open_ends:
        done, value = open_ends.pop()
        done, candidates = _take_reads(ordered, done, value)
        if not required & ~done:
            return None
        furthest = max(furthest, done & required, key=int.bit_count)
        for at in reversed(candidates):
            reached = (done | 1 << at, ordered[at].after)
            if reached not in tried:
                tried.add(reached)
                open_ends.append(reached)
    left = [one for at, one in enumerate(ordered) if (required & ~furthest) >> at & 1]
    return min(left, key=lambda one: one.ended)


def _take_reads(ordered: Sequence[SeatOperation], done: int, value: str) -> tuple[int, list[int]]:
    """Do every read that may come next and fits; and the changes that may come next.

    To do a read at once is never wrong: it leaves the value as it is.
    """
    while True:
        taken, candidates, left = done, list[int](), _left(ordered, done)
        earliest_end = min((ordered[at].ended for at in left), default=FOREVER)
        for at in left:
            one = ordered[at]
            if one.began > earliest_end:
                break
            if one.before == value:
                if one.is_read:
                    taken |= 1 << at
                else:
                    candidates.append(at)
        if taken == done:
            return done, candidates
        done = taken


def _left(ordered: Sequence[SeatOperation], done: int) -> list[int]:
    return [at for at in range(len(ordered)) if not done >> at & 1]
