"""The evidence, indexed once for all promises."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from ticketing.rehearsal.simulator.history import RUNNER, Evidence, JournalEntry, Record
from ticketing.rehearsal.simulator.judge.clocks import EXACT, Clocks, clocks_of, seconds
from ticketing.rehearsal.simulator.judge.knob_history import KnobHistory
from ticketing.rehearsal.simulator.judge.parties import Parties

# Seconds after a fault in which connections, processes and waiting calls may still fail.
RECOVERY = 15.0
# The breaker keeps payments closed for a minute after the gateway failed.
GATEWAY_RECOVERY = 75.0
# Faults in which Redis loses what is not in the journal yet: places come back from their tokens.
DATA_LOSSES = frozenset({"valkey", "redis emptied", "power"})
LOST_SECONDS, RESTORED_SECONDS = 3.0, 20.0  # before such a fault, and after it


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
        return self._places[0]

    @cached_property
    def shared_numbers(self) -> set[tuple[int, int]]:
        """Accounts with a number that is, or was, another's: members of a party."""
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[dict[int, list[tuple[int, JournalEntry]]], set[tuple[int, int]]]:
        found: dict[int, list[tuple[int, JournalEntry]]] = defaultdict(list)
        parties, shared = Parties(), set[tuple[int, int]]()
        for index, entry in enumerate(self.journal):
            found[entry.person].append((index, entry))
            if entry.kind == "lead" or entry.leader not in (None, entry.person):
                shared.add((entry.person, entry.number))
            # A party of the lobby gets the number of its leader.
            for companion in parties.companions_of(entry.person) if entry.kind == "join" else ():
                found[companion].append((index, replace(entry, person=companion)))
                shared.add((companion, entry.number))
            parties.apply(entry)
        return found, shared

    def fault_at(self, began: float, ended: float, recovery: float | None = None) -> Record | None:
        """A fault that may have affected this time."""
        for fault in self.faults:
            after = recovery_of(fault) if recovery is None else recovery
            if fault.began - 1 <= ended and began <= fault.ended + after:
                return fault
        return None

    def data_loss_at(self, at: float) -> bool:
        """Whether what was so at this time may have been lost, or was being restored."""
        return any(
            fault.began - LOST_SECONDS <= at <= fault.ended + RESTORED_SECONDS
            for fault in self.faults
            if fault.data.get("fault") in DATA_LOSSES
        )

    @cached_property
    def reported_admissions(self) -> dict[int, list[float]]:
        """When people were told that they are in, by the server's clock, at a time of which the
        journal may be lost."""
        found: dict[int, list[float]] = defaultdict(list)
        for record in self.of("claim"):
            is_in = record.done and record.data.get("state") == "ADMITTED"
            if is_in and self.data_loss_at(record.ended):
                found[self.person_of.get(record.user, -1)].append(
                    seconds(record.data["server_time"])
                )
        return found

    def ages(self, name: str) -> Iterator[tuple[Record, float]]:
        """The snapshots with an age in seconds, if they know it."""
        for record in self.of("sample"):
            if record.done and record.data.get(name) is not None:
                yield record, float(record.data[name])

    def knob(self, name: str) -> KnobHistory:
        """Its values over time, by the settings, the changes and the snapshots."""
        first = self.setting.get("knobs", {}).get(name)
        readings = [] if first is None else [(float("-inf"), first)]
        for record in self.of("knobs", "sample"):
            if record.done and record.data.get(name) is not None:
                readings += [(record.began, record.data[name]), (record.ended, record.data[name])]
        return KnobHistory(readings)

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
