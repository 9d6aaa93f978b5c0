"""The stays of each person in the queue, by the journal: from a number to its end."""

from dataclasses import dataclass

from ticketing.rehearsal.simulator.history import JournalEntry
from ticketing.rehearsal.simulator.judge.evidence_index import ENDINGS, IndexedEvidence

NEVER = 1 << 60


@dataclass
class Stay:
    """`number` is 0 in the lobby; `came` and `went` are indexes in the journal."""

    person: int
    began: JournalEntry
    number: int = 0
    came: int = NEVER  # joined the queue with that number
    went: int = NEVER  # left the queue: called, or out
    called: JournalEntry | None = None
    admitted: JournalEntry | None = None
    ended: JournalEntry | None = None


def stays_of(evidence: IndexedEvidence, person: int) -> list[Stay]:
    found: list[Stay] = []
    for index, entry in evidence.entries_of.get(person, []):
        _apply(found, index, entry)
    return found


def _apply(found: list[Stay], index: int, entry: JournalEntry) -> None:
    begins = entry.kind in {"lobby", "join"}
    here = found[-1] if found and found[-1].ended is None else None
    if begins and (here is None or here.number):
        here = Stay(entry.person, entry)
        found.append(here)
    if here is None:
        here = Stay(entry.person, entry, entry.number)
        found.append(here)
    if entry.kind == "join":
        here.number, here.came = entry.number, index
        return
    if entry.kind != "lobby":
        here.went = min(here.went, index)
    match entry.kind:
        case "ready":
            here.called = entry
        case "admit":
            here.admitted = entry
        case kind if kind in ENDINGS:
            here.ended = entry
