"""The stays of each person in the queue, by the journal: from a number to its end."""

from dataclasses import dataclass

from ticketing.rehearsal.simulator.history import LANE_NUMBERS, JournalEntry
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.parties import ENDINGS

NEVER = 1 << 60
BEGINNINGS = frozenset({"lobby", "join", "companion"})
MOVES = frozenset({"demoted", "restored"})  # an operator gave another number


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
    here = found[-1] if found and found[-1].ended is None else None
    if here and _keeps_place(here, entry):
        return
    if here and entry.kind in MOVES:
        here.ended, here.went = entry, min(here.went, index)
    if here is None or _begins_another(here, entry):
        here = Stay(entry.person, entry, 0 if entry.kind in BEGINNINGS else entry.number)
        found.append(here)
    if entry.kind in BEGINNINGS | MOVES:
        if _is_given(entry):
            here.number, here.came = entry.number, index
        return
    here.went = min(here.went, index)
    _go_on(here, entry)


def _go_on(here: Stay, entry: JournalEntry) -> None:
    match entry.kind:
        case "ready":
            here.called = entry
        case "admit":
            here.admitted = entry
        case kind if kind in ENDINGS:
            here.ended = entry


def _begins_another(here: Stay, entry: JournalEntry) -> bool:
    return entry.kind in MOVES or (entry.kind in BEGINNINGS and bool(here.number))


def _keeps_place(here: Stay, entry: JournalEntry) -> bool:
    """Whether it is the same place, with another leader or as a leader, or out of turn."""
    if entry.kind in {"companion", "lead"}:
        number = entry.number if _is_given(entry) else 0
        return here.number == number and here.called is None
    return entry.kind == "bypass"


def _is_given(entry: JournalEntry) -> bool:
    """In the lobby, the number says the lane only."""
    return entry.number % LANE_NUMBERS != 0
