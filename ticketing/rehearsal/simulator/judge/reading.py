"""The evidence, sorted once for all checks."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from ticketing.rehearsal.simulator.history import STAGE, Deed, Entry, Evidence
from ticketing.rehearsal.simulator.judge.clocks import EXACT, Clocks, Dial, clocks_of

# After a fault: so long connections, processes and calls that waited may still fail.
RECOVERY = 15.0
# The breaker keeps the gateway closed for a minute after it was bad.
GATEWAY_RECOVERY = 75.0
ENDINGS = frozenset({"completed", "left", "expired", "blocked", "closed"})


class Reading:
    """What everybody did, by kind; who is who; when something was broken on purpose."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.setting: dict[str, Any] = evidence.setting
        self.facts: dict[str, Any] = evidence.facts
        self.journal: list[Entry] = evidence.journal
        self.by_kind: dict[str, list[Deed]] = defaultdict(list)
        for deed in evidence.deeds:
            self.by_kind[deed.did].append(deed)

    def of(self, *kinds: str) -> Iterator[Deed]:
        return chain.from_iterable(self.by_kind.get(kind, ()) for kind in kinds)

    def of_line(self, *kinds: str) -> Iterator[Deed]:
        """An open seat map is no sign of life in line."""
        return (deed for deed in self.of(*kinds) if deed.saw.get("way") != "seats")

    @cached_property
    def began(self) -> float:
        known = self.setting.get("began")
        if known is not None:
            return float(known)
        return min((deed.began for deed in self.evidence.deeds), default=0.0)

    @cached_property
    def ended(self) -> float:
        return max((deed.ended for deed in self.evidence.deeds), default=self.began)

    @cached_property
    def person(self) -> dict[int, int]:
        """The site's id of each simulated person."""
        told = {int(who): int(person) for who, person in self.setting.get("people", {}).items()}
        seen = {
            deed.who: int(deed.saw["person"]) for deed in self.of("arrive") if "person" in deed.saw
        }
        return told | seen

    @cached_property
    def who(self) -> dict[int, int]:
        return {person: who for who, person in self.person.items()}

    @cached_property
    def faults(self) -> list[Deed]:
        return sorted(self.of("fault"), key=lambda deed: deed.began)

    @cached_property
    def clocks(self) -> Clocks:
        return clocks_of(self.of(*EXACT), self.faults)

    @cached_property
    def entries_of(self) -> dict[int, list[tuple[int, Entry]]]:
        """The journal of each person, each line with its place in the whole."""
        found: dict[int, list[tuple[int, Entry]]] = defaultdict(list)
        for index, entry in enumerate(self.journal):
            found[entry.person].append((index, entry))
        return found

    def fault_at(self, began: float, ended: float, recovery: float | None = None) -> Deed | None:
        """A fault that may have touched this stretch of time."""
        for fault in self.faults:
            after = recovery_of(fault) if recovery is None else recovery
            if fault.began - 1 <= ended and began <= fault.ended + after:
                return fault
        return None

    def dial(self, knob: str) -> Dial:
        """From what was set at first, what was turned, and what the pulse said."""
        readings = [(float("-inf"), self.setting["knobs"][knob])] if self._knows(knob) else []
        for deed in self.of("knobs", "sample"):
            if deed.done and deed.saw.get(knob) is not None:
                readings += [(deed.began, deed.saw[knob]), (deed.ended, deed.saw[knob])]
        return Dial(readings)

    def _knows(self, knob: str) -> bool:
        return self.setting.get("knobs", {}).get(knob) is not None

    def at(self, steady: float) -> str:
        """A moment as people read it: seconds since the rehearsal began."""
        return f"{steady - self.began:.1f}"

    def at_server(self, server: float) -> str:
        return self.at(self.clocks.steady(server))

    @cached_property
    def sold(self) -> list[tuple[int, int]]:
        """Seats that say they are sold, and to whom; -1 where nobody knows."""
        rows = self.facts.get("sold", [])
        return [(int(seat), -1 if person is None else int(person)) for seat, person in rows]

    def name(self, person: int) -> str:
        """A person as the report calls them."""
        who = self.who.get(person)
        return f"#{who}" if who is not None else f"id {person}"


def recovery_of(fault: Deed) -> float:
    return GATEWAY_RECOVERY if "gateway" in fault.saw.get("fault", "") else RECOVERY


def by_person(deeds: Iterable[Deed]) -> dict[int, list[Deed]]:
    """In the order in which they ended, for each person."""
    found: dict[int, list[Deed]] = defaultdict(list)
    for deed in deeds:
        if deed.who != STAGE:
            found[deed.who].append(deed)
    for theirs in found.values():
        theirs.sort(key=lambda deed: deed.ended)
    return found
