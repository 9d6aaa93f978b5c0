"""The evidence, indexed once for all promises."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from ticketing.rehearsal.simulator.history import RUNNER, Evidence, JournalEntry, Record
from ticketing.rehearsal.simulator.judge.clocks import EXACT, Clocks, clocks_of
from ticketing.rehearsal.simulator.judge.knob_history import KnobHistory

# Seconds after a fault in which connections, processes and waiting calls may still fail.
RECOVERY = 15.0
# The breaker keeps payments closed for a minute after the gateway failed.
GATEWAY_RECOVERY = 75.0
ENDINGS = frozenset({"completed", "left", "expired", "blocked", "closed"})


class IndexedEvidence:
    """Records by action, users by account, faults, clocks and knobs over time."""

    def __init__(self, evidence: Evidence) -> None:
        self.records: list[Record] = evidence.records
        self.left_behind: dict[str, int] = evidence.left_behind
        self.setting: dict[str, Any] = evidence.setting
        self.facts: dict[str, Any] = evidence.facts
        self.journal: list[JournalEntry] = evidence.journal
        self.by_action: dict[str, list[Record]] = defaultdict(list)
        for record in evidence.records:
            self.by_action[record.action].append(record)

    def of(self, *actions: str) -> Iterator[Record]:
        return chain.from_iterable(self.by_action.get(action, ()) for action in actions)

    def of_queue(self, *actions: str) -> Iterator[Record]:
        """Without those of the seat map, which is no sign of life in the queue."""
        return (record for record in self.of(*actions) if record.data.get("channel") != "seats")

    @cached_property
    def began(self) -> float:
        known = self.setting.get("began")
        if known is not None:
            return float(known)
        return min((record.began for record in self.records), default=0.0)

    @cached_property
    def ended(self) -> float:
        return max((record.ended for record in self.records), default=self.began)

    @cached_property
    def person_of(self) -> dict[int, int]:
        """The account id of each user."""
        known = {int(user): int(person) for user, person in self.setting.get("people", {}).items()}
        seen = {
            record.user: int(record.data["person"])
            for record in self.of("arrive")
            if "person" in record.data
        }
        return known | seen

    @cached_property
    def user_of(self) -> dict[int, int]:
        return {person: user for user, person in self.person_of.items()}

    @cached_property
    def faults(self) -> list[Record]:
        return sorted(self.of("fault"), key=lambda record: record.began)

    @cached_property
    def clocks(self) -> Clocks:
        return clocks_of(self.of(*EXACT), self.faults)

    @cached_property
    def entries_of(self) -> dict[int, list[tuple[int, JournalEntry]]]:
        """The journal entries of each account, with their index in the journal."""
        found: dict[int, list[tuple[int, JournalEntry]]] = defaultdict(list)
        for index, entry in enumerate(self.journal):
            found[entry.person].append((index, entry))
        return found

    def fault_at(self, began: float, ended: float, recovery: float | None = None) -> Record | None:
        """A fault that may have affected this time."""
        for fault in self.faults:
            after = recovery_of(fault) if recovery is None else recovery
            if fault.began - 1 <= ended and began <= fault.ended + after:
                return fault
        return None

    def knob(self, name: str) -> KnobHistory:
        """Its values over time, by the settings, the changes and the snapshots."""
        readings = [(float("-inf"), self.setting["knobs"][name])] if self._knows(name) else []
        for record in self.of("knobs", "sample"):
            if record.done and record.data.get(name) is not None:
                readings += [(record.began, record.data[name]), (record.ended, record.data[name])]
        return KnobHistory(readings)

    def _knows(self, name: str) -> bool:
        return self.setting.get("knobs", {}).get(name) is not None

    def at(self, time: float) -> str:
        """A time as the report shows it: seconds since the rehearsal began."""
        return f"{time - self.began:.1f}"

    def at_server(self, server: float) -> str:
        return self.at(self.clocks.recorder_time(server))

    @cached_property
    def sold(self) -> list[tuple[int, int]]:
        """Sold seats and their owners; -1 where there is no owner."""
        rows = self.facts.get("sold", [])
        return [(int(seat), -1 if person is None else int(person)) for seat, person in rows]

    def name(self, person: int) -> str:
        """An account as the report names it: the number of its user."""
        user = self.user_of.get(person)
        return f"#{user}" if user is not None else f"id {person}"


def recovery_of(fault: Record) -> float:
    return GATEWAY_RECOVERY if "gateway" in fault.data.get("fault", "") else RECOVERY


def by_user(records: Iterable[Record]) -> dict[int, list[Record]]:
    """The records of each user, in the order of their ends."""
    found: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        if record.user != RUNNER:
            found[record.user].append(record)
    for theirs in found.values():
        theirs.sort(key=lambda record: record.ended)
    return found
