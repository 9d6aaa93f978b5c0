"""Every position that was shown was the true one at its time.

The line is rebuilt from the journal, change by change. An answer carries the server's time of what
it tells; it must be true of some state of the line between that time and the answer's arrival. Each
change moves a place by one at most, so between two states every place in between was true once; and
changes are noted with the time at which they were decided, which is a little before they are done.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from itertools import accumulate
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Deed, Entry
from ticketing.rehearsal.simulator.judge.clocks import moment_in
from ticketing.rehearsal.simulator.judge.reading import Reading
from ticketing.rehearsal.simulator.judge.stays import NEVER, Stay, stays_of
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

# From a decision's time to the change in the line: a busy process; a draw goes part by part.
LAG_SECONDS = 3.0
DRAW_LAG_SECONDS = 10.0
FAULT_LAG_SECONDS = 20.0
# What a poll tells is of a tick heard at most 3 s ago; a tick is told within 2 s.
OLDEST_SECONDS = 5.0
MOST = 300_000
ENOUGH = 100
Shown = tuple[Deed, float, Stay]


def positions(reading: Reading) -> Verdict:
    findings = Findings()
    shown = _shown(reading, findings)
    line = Line(reading)
    for deed, server, stay in shown:
        _is_fresh(reading, findings, deed, server)
        line.ask(deed, server, stay)
    findings.checked = len(shown)
    for deed, stay, truth in line.untrue():
        _untrue(reading, findings, deed, stay, truth)
    findings.note(
        _("True between the time that the answer tells and its arrival; changes count as "
          "done within "
          "%(lag)s s of their decision (%(draw)s s in a draw, %(fault)s s around faults). A "
          "poll may "
          "tell of a tick at most %(old)s s ago."),
        lag=f"{LAG_SECONDS:g}", draw=f"{DRAW_LAG_SECONDS:g}", fault=f"{FAULT_LAG_SECONDS:g}",
        old=f"{OLDEST_SECONDS:g}",
    )  # fmt: skip
    return findings.verdict("positions", _("Every position shown was the true one at the time"))


def _shown(reading: Reading, findings: Findings) -> list[Shown]:
    """Answers that name a place; of very many, evenly chosen ones."""
    told = [
        deed
        for deed in reading.of("join", "look", "told")
        if deed.done and deed.saw.get("position")
    ]
    step = max(1, -(-len(told) // MOST))
    if step > 1:
        findings.note(
            _("One in %(step)s of %(all)s was looked at."), step=step, all=f"{len(told):,}"
        )
    stays: dict[int, dict[int, Stay]] = {}
    found: list[Shown] = []
    for deed in told[::step]:
        if deed.who not in stays:
            theirs = stays_of(reading, reading.person.get(deed.who, -1))
            stays[deed.who] = {stay.number: stay for stay in theirs}
        server = moment_in(deed.saw, "server_time") or reading.clocks.server(deed.ended)
        nowhere = Stay(-1, Entry(0, -1, "", 0))
        found.append((deed, server, stays[deed.who].get(deed.saw.get("number", 0), nowhere)))
    return found


def _is_fresh(reading: Reading, findings: Findings, deed: Deed, server: float) -> None:
    age = reading.clocks.server(deed.began) - server
    if deed.did != "look" or age <= OLDEST_SECONDS + reading.clocks.tolerance:
        return
    if not reading.fault_at(deed.began - age, deed.ended):
        findings.against(
            deed.ended, _("%(at)s s: %(who)s was told what was so %(age)s s before."),
            at=reading.at(deed.ended), who=f"#{deed.who}", age=f"{age:.1f}",
        )  # fmt: skip


def _untrue(reading: Reading, findings: Findings, deed: Deed, stay: Stay, truth: Any) -> None:
    findings.against(
        deed.ended,
        _("%(at)s s: %(who)s (no. %(number)s) was shown position %(shown)s, and it was %(truth)s."),
        at=reading.at(deed.ended), who=f"#{deed.who}", number=deed.saw.get("number"),
        shown=deed.saw["position"], truth=truth,
    )  # fmt: skip


class Line:
    """The states of a line: state n is after the first n changes."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.journal = reading, reading.journal
        # When each change was done: not before it, or any later one, was decided; nor long after.
        clocks = reading.clocks
        decided = [clocks.earliest(entry.at) for entry in self.journal]
        self.done_from = list(accumulate(reversed(decided), min))[::-1]
        done = (clocks.latest(entry.at) + self._lag(entry) for entry in self.journal)
        self.done_by = list(accumulate(done, max))
        self.asked: list[tuple[Deed, Stay, int, int]] = []

    def _lag(self, entry: Entry) -> float:
        at = self.reading.clocks.steady(entry.at)
        if self.reading.fault_at(at, at + LAG_SECONDS):
            return FAULT_LAG_SECONDS
        return DRAW_LAG_SECONDS if entry.kind == "join" and self._was_drawn(entry) else LAG_SECONDS

    def _was_drawn(self, entry: Entry) -> bool:
        draw = self.reading.facts.get("draw") or {"first_number": 0, "people": []}
        return bool(entry.number < draw["first_number"] + len(draw["people"]))

    def ask(self, deed: Deed, server: float, stay: Stay) -> None:
        """From the first to the last state that may have been seen, as far as they were in line."""
        clocks = self.reading.clocks
        first = bisect_left(self.done_by, clocks.earliest(server))
        last = bisect_right(self.done_from, max(clocks.latest(server), deed.ended))
        came = stay.came + 1 if stay.came != NEVER else NEVER
        self.asked.append((deed, stay, max(first, came), min(last, stay.went)))

    def untrue(self) -> list[tuple[Deed, Stay, Any]]:
        """The first ones in time; of a line that is wrong altogether a few are enough."""
        ranks = self._ranks()
        found: list[tuple[Deed, Stay, Any]] = []
        for deed, stay, first, last in sorted(self.asked, key=lambda asked: asked[0].ended):
            if len(found) >= ENOUGH:
                break
            if first > last or not stay.number:
                found.append((deed, stay, _("not in line")))
                continue
            ends = sorted((ranks[first, stay.number], ranks[last, stay.number]))
            if ends[0] <= deed.saw["position"] <= ends[1]:
                continue
            if not self._ever(stay.number, first, last, deed.saw["position"]):
                found.append((deed, stay, "–".join(map(str, dict.fromkeys(ends)))))
        return found

    def _ranks(self) -> dict[tuple[int, int], int]:
        """Of every number asked for, at both ends, in one pass through the journal."""
        wanted: dict[int, set[int]] = defaultdict(set)
        for _deed, stay, first, last in self.asked:
            if first <= last:
                wanted[first].add(stay.number)
                wanted[last].add(stay.number)
        found: dict[tuple[int, int], int] = {}
        line: list[int] = []
        for state in range(len(self.journal) + 1):
            if state:
                change(line, self.journal[state - 1])
            for number in wanted.get(state, ()):
                found[state, number] = bisect_left(line, number) + 1
        return found

    def _ever(self, number: int, first: int, last: int, position: int) -> bool:
        """Only a draw puts people in front of others: then every state is looked at."""
        line: list[int] = []
        for state in range(last + 1):
            if state:
                change(line, self.journal[state - 1])
            if state >= first and bisect_left(line, number) + 1 == position:
                return True
        return False


def change(line: list[int], entry: Entry) -> None:
    """Numbers in line, ascending."""
    if entry.kind == "join":
        insort(line, entry.number)
        return
    at = bisect_left(line, entry.number)
    if entry.kind != "lobby" and at < len(line) and line[at] == entry.number:
        del line[at]
