"""The promise `positions`: every position shown was the true one at the time.

The queue is rebuilt from the journal, change by change. A response carries the server's time of its
position, which must be true in some state between that time and the response's arrival. Each change
moves a position by one at most, so between two states every position in between was true once.
Changes are journalled with the time of their decision, a little before they are done; on a busy
machine the time at which Redis did them tells how long before.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate, islice
from typing import Any

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import LANE_NUMBERS, JournalEntry, Record
from ticketing.rehearsal.simulator.judge.clocks import moment_in
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.position_history import worse_positions
from ticketing.rehearsal.simulator.judge.stays import NEVER, Stay, stays_of
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Every position shown was the true one at the time")

# From a decision to the change in the queue: longer in a draw, which is done in parts.
LAG_SECONDS = 3.0
DRAW_LAG_SECONDS = 10.0
FAULT_LAG_SECONDS = 20.0
# A poll answers by a tick received at most 3 s ago, and a tick is sent within 2 s.
OLDEST_SECONDS = 5.0
MAX_CHECKED = 300_000
MAX_COUNTEREXAMPLES = 100
Shown = tuple[Record, float, Stay]


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings()
    shown = _shown(evidence, findings)
    states = QueueStates(evidence)
    for record, server, stay in shown:
        _check_age(evidence, findings, record, server)
        states.add(record, server, stay)
    findings.checked = len(shown)
    for record, stay, truth in states.untrue():
        _untrue(evidence, findings, record, stay, truth)
    for before, record in islice(worse_positions(evidence), MAX_COUNTEREXAMPLES):
        findings.against(
            record.ended,
            _("%(at)s s: %(who)s was told position %(after)s after %(before)s: it got worse."),
            at=evidence.at(record.ended), who=f"#{record.user}",
            after=record.data["position"], before=before,
        )  # fmt: skip
    findings.note(
        _("True between the time that the answer tells and its arrival; changes count as "
          "done within "
          "%(lag)s s of their decision (%(draw)s s in a draw, %(fault)s s around faults). A "
          "poll may "
          "tell of a tick at most %(old)s s ago. Around a loss of Redis' data nothing is judged."),
        lag=f"{LAG_SECONDS:g}", draw=f"{DRAW_LAG_SECONDS:g}", fault=f"{FAULT_LAG_SECONDS:g}",
        old=f"{OLDEST_SECONDS:g}",
    )  # fmt: skip
    return findings.verdict("positions", TITLE)


def _shown(evidence: IndexedEvidence, findings: Findings) -> list[Shown]:
    """Responses with a position; of very many an even sample."""
    responses = [
        record
        for record in evidence.of("join", "poll", "push")
        if record.done and record.data.get("position") and not evidence.data_loss_at(record.ended)
    ]
    step = max(1, -(-len(responses) // MAX_CHECKED))
    if step > 1:
        findings.note(
            _("One in %(step)s of %(all)s was looked at."), step=step, all=f"{len(responses):,}"
        )
    stays: dict[int, dict[int, Stay]] = {}
    found: list[Shown] = []
    for record in responses[::step]:
        if record.user not in stays:
            theirs = stays_of(evidence, evidence.person_of.get(record.user, -1))
            stays[record.user] = {stay.number: stay for stay in theirs}
        server = moment_in(record.data, "server_time") or evidence.clocks.server_time(record.ended)
        nowhere = Stay(-1, JournalEntry(0, -1, "", 0))
        found.append(
            (record, server, stays[record.user].get(record.data.get("number", 0), nowhere))
        )
    return found


def _check_age(
    evidence: IndexedEvidence, findings: Findings, record: Record, server: float
) -> None:
    age = evidence.clocks.server_time(record.began) - server
    if record.action != "poll" or age <= OLDEST_SECONDS + evidence.clocks.tolerance:
        return
    if not evidence.fault_at(record.began - age, record.ended):
        findings.against(
            record.ended, _("%(at)s s: %(who)s was told what was so %(age)s s before."),
            at=evidence.at(record.ended), who=f"#{record.user}", age=f"{age:.1f}",
        )  # fmt: skip


def _untrue(
    evidence: IndexedEvidence, findings: Findings, record: Record, stay: Stay, truth: Any
) -> None:
    findings.against(
        record.ended,
        _("%(at)s s: %(who)s (no. %(number)s) was shown position %(shown)s, and it was %(truth)s."),
        at=evidence.at(record.ended), who=f"#{record.user}", number=record.data.get("number"),
        shown=record.data["position"], truth=truth,
    )  # fmt: skip


class QueueStates:
    """The states of the queue: state n is after the first n changes."""

    def __init__(self, evidence: IndexedEvidence) -> None:
        self.evidence, self.journal = evidence, evidence.journal
        draw = evidence.facts.get("draw")
        self.lobby_last = draw["first_number"] + len(draw["people"]) - 1 if draw else 0
        # A change is done after it was decided, before any later one, and not long after.
        clocks = evidence.clocks
        decided = [clocks.earliest(entry.at) for entry in self.journal]
        self.done_from = list(accumulate(reversed(decided), min))[::-1]
        done = (
            max(clocks.latest(entry.at) + self._lag(entry), clocks.latest(entry.done or entry.at))
            for entry in self.journal
        )
        self.done_by = list(accumulate(done, max))
        self.shown: list[tuple[Record, Stay, int, int]] = []

    def _lag(self, entry: JournalEntry) -> float:
        at = self.evidence.clocks.recorder_time(entry.at)
        if self.evidence.fault_at(at, at + LAG_SECONDS):
            return FAULT_LAG_SECONDS
        return (
            DRAW_LAG_SECONDS
            if entry.kind == "join" and entry.number % LANE_NUMBERS <= self.lobby_last
            else LAG_SECONDS
        )

    def add(self, record: Record, server: float, stay: Stay) -> None:
        """Note a position with the first and last state it may be of, while in the queue."""
        clocks = self.evidence.clocks
        first = bisect_left(self.done_by, clocks.earliest(server))
        last = bisect_right(self.done_from, max(clocks.latest(server), record.ended))
        came = stay.came + 1 if stay.came != NEVER else NEVER
        self.shown.append((record, stay, max(first, came), min(last, stay.went)))

    def untrue(self) -> list[tuple[Record, Stay, Any]]:
        """The first untrue positions in time, at most a few of them."""
        ranks = self._ranks()
        found: list[tuple[Record, Stay, Any]] = []
        for record, stay, first, last in sorted(self.shown, key=lambda asked: asked[0].ended):
            if len(found) >= MAX_COUNTEREXAMPLES:
                break
            if first > last or not stay.number:
                found.append((record, stay, _("not in line")))
                continue
            ends = sorted((ranks[first, stay.number], ranks[last, stay.number]))
            if ends[0] <= record.data["position"] <= ends[1]:
                continue
            if not self._ever(stay.number, first, last, record.data["position"]):
                found.append((record, stay, "–".join(map(str, dict.fromkeys(ends)))))
        return found

    def _ranks(self) -> dict[tuple[int, int], int]:
        """The rank of every number shown, at both ends, in one pass through the journal."""
        wanted: dict[int, set[int]] = defaultdict(set)
        for _deed, stay, first, last in self.shown:
            if first <= last:
                wanted[first].add(stay.number)
                wanted[last].add(stay.number)
        found: dict[tuple[int, int], int] = {}
        line = Line(self.lobby_last)
        for state in range(len(self.journal) + 1):
            if state:
                line.apply(self.journal[state - 1])
            for number in wanted.get(state, ()):
                found[state, number] = line.rank(number)
        return found

    def _ever(self, number: int, first: int, last: int, position: int) -> bool:
        """Whether any state fits; needed after a draw, which puts people in front of others."""
        line = Line(self.lobby_last)
        for state in range(last + 1):
            if state:
                line.apply(self.journal[state - 1])
            if state >= first and line.rank(number) == position:
                return True
        return False


class Line:
    """Who is in line after some of the changes, and who is still in the lobby."""

    def __init__(self, lobby_last: float) -> None:
        self.lobby_last = lobby_last
        self.numbers: list[int] = []
        self.lobby: dict[int, int] = {}  # the lane of each person
        self._holders: dict[int, int] = {}  # whose place a number is

    def apply(self, entry: JournalEntry) -> None:
        if entry.kind == "lobby" or (entry.kind == "lead" and not entry.number % LANE_NUMBERS):
            self.lobby[entry.person] = max(entry.number, 0) // LANE_NUMBERS
            return
        if entry.kind in {"companion", "bypass"}:
            return
        self.lobby.pop(entry.person, None)
        if entry.kind in {"demoted", "restored"}:
            for number in [each for each, who in self._holders.items() if who == entry.person]:
                self._free(number)
        if entry.kind in {"join", "lead", "demoted", "restored"}:
            self._take(entry.person, entry.number)
        elif self._holders.get(entry.number) == entry.person:
            self._free(entry.number)

    def _take(self, person: int, number: int) -> None:
        if number not in self._holders:
            self.numbers.insert(bisect_left(self.numbers, number), number)
        self._holders[number] = person  # handed over, if it was another's

    def _free(self, number: int) -> None:
        del self._holders[number]
        del self.numbers[bisect_left(self.numbers, number)]

    def rank(self, number: int) -> int:
        """In the lane. Everybody of the lobby comes before those who joined after it."""
        lane, in_lane = divmod(number, LANE_NUMBERS)
        undrawn = list(self.lobby.values()).count(lane) if in_lane > self.lobby_last else 0
        others = bisect_left(self.numbers, number - number % LANE_NUMBERS)
        return bisect_left(self.numbers, number) - others + 1 + undrawn
