"""The stays of each person in the line, as the journal tells them: from a number to its end."""

from dataclasses import dataclass

from ticketing.rehearsal.simulator.history import Entry
from ticketing.rehearsal.simulator.judge.reading import ENDINGS, Reading

NEVER = 1 << 60


@dataclass
class Stay:
    """`number` is 0 while in the lobby; the indexes are places in the journal."""

    person: int
    began: Entry
    number: int = 0
    came: int = NEVER  # when they were in line with that number
    went: int = NEVER  # when they were no longer in line: called, or out
    called: Entry | None = None
    admitted: Entry | None = None
    ended: Entry | None = None


def stays_of(reading: Reading, person: int) -> list[Stay]:
    found: list[Stay] = []
    for index, entry in reading.entries_of.get(person, []):
        _go_on(found, index, entry)
    return found


def _go_on(found: list[Stay], index: int, entry: Entry) -> None:
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
