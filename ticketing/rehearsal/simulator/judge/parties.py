"""Parties by the journal: who waits in whose place, change by change."""

from ticketing.rehearsal.simulator.history import JournalEntry

ENDINGS = frozenset({"completed", "left", "expired", "blocked", "closed"})


class Parties:
    """The companions of each leader, in order of joining."""

    def __init__(self) -> None:
        self._companions: dict[int, list[int]] = {}
        self._leaders: dict[int, int] = {}

    def companions_of(self, leader: int) -> list[int]:
        return list(self._companions.get(leader, ()))

    def is_companion(self, person: int) -> bool:
        return person in self._leaders

    def apply(self, entry: JournalEntry) -> None:
        if entry.kind == "companion" and entry.leader is not None:
            self._remove(entry.person)
            self._leaders[entry.person] = entry.leader
            self._companions.setdefault(entry.leader, []).append(entry.person)
        elif entry.kind in {"lead", "ready", "bypass", "demoted", *ENDINGS}:
            self._remove(entry.person)

    def _remove(self, person: int) -> None:
        leader = self._leaders.pop(person, None)
        if leader is not None:
            self._companions[leader].remove(person)
            if not self._companions[leader]:
                del self._companions[leader]
