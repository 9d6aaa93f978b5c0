"""Part of the promise `positions`: what one user is told never gets worse.

A user's responses and the frames of one tab follow each other; a position may be compared with all
that arrived before it was asked for. Another number is another place in line.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence, by_user

Worse = tuple[int, Record]  # the position that was told before, and the record of a worse one


def worse_positions(evidence: IndexedEvidence) -> Iterator[Worse]:
    """Every response or frame with a worse position than the user knew."""
    reported = by_user(
        record
        for record in evidence.of("join", "poll", "push")
        if record.done and record.data.get("position")
    )
    for theirs in reported.values():
        for told_alike in _by_tab_and_number(theirs):
            yield from _worse(evidence, told_alike)


def _by_tab_and_number(records: list[Record]) -> list[list[Record]]:
    """Further tabs have sockets of their own, maybe at another server process."""
    found: dict[tuple[int, int], list[Record]] = defaultdict(list)
    for record in records:
        found[record.data.get("tab", 0), record.data.get("number") or 0].append(record)
    return list(found.values())


def _worse(evidence: IndexedEvidence, records: list[Record]) -> Iterator[Worse]:
    arrived = [record.ended for record in records]
    best = list(accumulate((record.data["position"] for record in records), min))
    for at, record in enumerate(records):
        known = min(bisect_right(arrived, record.began), at)
        if not known or record.data["position"] <= best[known - 1]:
            continue
        if not evidence.fault_at(arrived[0], record.ended):
            yield best[known - 1], record
