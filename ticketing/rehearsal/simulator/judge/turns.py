"""Who had their turn when: the cap, the rate and the order, from the queue's own journal.

Its lines are in the order in which the line was changed, whatever the clocks said. A *call* is
what takes a place inside: being told that it is one's turn, or coming in at once.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from itertools import groupby, pairwise

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Deed, Entry
from ticketing.rehearsal.simulator.judge.reading import ENDINGS, Reading
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

# As in the line's own rules: permits of a second are kept, those of a minute without ticks too.
KEPT_SECONDS = 1.0
MISSED_SECONDS = 60.0
# Ticks come every second, and the pulse that says how old the last one is, too.
TICK_SECONDS = 1.0
PAUSE_SECONDS = 3 * TICK_SECONDS  # until the last tick that did not know of it is surely over
AROUND_SECONDS = 10.0
UNLIMITED = 1e9


def calls(journal: list[Entry]) -> Iterator[tuple[Entry, int]]:
    """Each call, and how many were called or inside right after it."""
    ready: set[int] = set()
    inside: set[int] = set()
    for entry in journal:
        if entry.kind == "ready":
            ready.add(entry.person)
            yield entry, len(ready) + len(inside)
        elif entry.kind == "admit":
            was_called = entry.person in ready
            ready.discard(entry.person)
            inside.add(entry.person)
            if not was_called:
                yield entry, len(ready) + len(inside)
        elif entry.kind in ENDINGS:
            ready.discard(entry.person)
            inside.discard(entry.person)


def cap(reading: Reading) -> Verdict:
    findings, dial = Findings(), reading.dial("max_inside")
    for entry, there in calls(reading.journal):
        at = reading.clocks.steady(entry.at)
        findings.checked += 1
        if there > (most := dial.most(at, at)):
            findings.against(
                at,
                _("%(at)s s: %(who)s was let in as no. %(there)s, and at most %(most)s may "
                  "be inside."),
                at=reading.at(at), who=reading.name(entry.person), there=there, most=f"{most:g}",
            )  # fmt: skip
    _cap_of_samples(reading, findings)
    findings.note(_("Around a turn of the knob, the old and the new value both count, for 3 s."))
    return findings.verdict("cap", _("Never more people inside than allowed"))


def _cap_of_samples(reading: Reading, findings: Findings) -> None:
    """Once the cap was lowered, those inside may stay; but nobody may come on top."""
    dial, before = reading.dial("max_inside"), 0
    for deed in sorted(reading.of("sample"), key=lambda deed: deed.began):
        if not deed.done or "inside" not in deed.saw:
            continue
        there = deed.saw["inside"] + deed.saw.get("ready", 0)
        findings.checked += 1
        if there > (most := dial.most(deed.began, deed.ended)) and there > before:
            findings.against(
                deed.ended,
                _("%(at)s s: the pulse counted %(there)s called or inside, and at most "
                  "%(most)s may be."),
                at=reading.at(deed.ended), there=there, most=f"{most:g}",
            )  # fmt: skip
        before = there


def rate(reading: Reading) -> Verdict:
    """All windows at once: so many calls need so much time, less what could have been saved up.

    From call i to call j at most rate times the time between them, permits of one second, and those
    since the tick before i. With n(i) - earned(i) + saved(i) at its least so far, one comparison is
    enough for each j.
    """
    findings, dial = Findings(), reading.dial("admit_per_second")
    gaps = TickGaps(reading)
    earned, count, before, lowest, start = 0.0, 0, None, float("inf"), 0.0
    longest = 0.0
    for now, group in groupby(_ticks_of(reading), key=lambda pair: pair[0]):
        at, people = reading.clocks.steady(now), [pair[1] for pair in group]
        since = now - before if before is not None else MISSED_SECONDS
        span = since if before is not None else 0.0
        per_second = dial.most(at - span, at) or UNLIMITED
        earned += per_second * span
        gap = min(since, gaps.longest_around(at))
        saved, longest = per_second * gap, max(longest, gap)
        if count - earned + saved < lowest:
            lowest, start = count - earned + saved, at
        count, before = count + len(people), now
        findings.checked += len(people)
        if count - earned > lowest + max(per_second * KEPT_SECONDS, 1) + 1e-6:
            _too_fast(reading, findings, start, at, per_second, people[-1])
            lowest = float("inf")  # what comes after is judged for itself
    findings.note(
        _("Over any window: rate × time, the permits of 1 s, and those of the time since the tick "
          "before it (at most %(gap)s s here)."), gap=f"{longest:.1f}",
    )  # fmt: skip
    return findings.verdict("rate", _("Never let in faster than the rate, over any window"))


def _ticks_of(reading: Reading) -> Iterator[tuple[float, Entry]]:
    """Calls by the line's own time, which never runs back, unless a clock was put right."""
    now = float("-inf")
    for entry, _there in calls(reading.journal):
        now = entry.at if now - entry.at > MISSED_SECONDS else max(now, entry.at)
        yield now, entry


def _too_fast(
    reading: Reading, findings: Findings, start: float, at: float, per_second: float, last: Entry
) -> None:
    findings.against(
        at,
        _("From %(start)s to %(at)s s more were called than %(rate)s a second allow; "
          "no. %(number)s (%(who)s) was one too many."),
        start=reading.at(start), at=reading.at(at), rate=f"{per_second:g}",
        number=last.number, who=reading.name(last.person),
    )  # fmt: skip


class TickGaps:
    """How long the line went without a tick, as far as the pulse saw it or could not be asked."""

    def __init__(self, reading: Reading) -> None:
        samples = sorted(reading.of("sample"), key=lambda deed: deed.ended)
        answered = [deed for deed in samples if deed.done]
        self.times = [deed.ended for deed in answered]
        starts = [*self.times[:1], *self.times]
        silences = [ended - began for began, ended in zip(starts, self.times, strict=False)]
        self.gaps = [
            max(_tick_age(deed), silence - TICK_SECONDS) + TICK_SECONDS
            for deed, silence in zip(answered, silences, strict=True)
        ]
        self.longest = min(max(self.gaps, default=2 * TICK_SECONDS), MISSED_SECONDS)

    def longest_around(self, at: float) -> float:
        first = bisect_left(self.times, at - AROUND_SECONDS)
        # The next answer as well, however late: it says how long there was none.
        last = bisect_right(self.times, at + AROUND_SECONDS) + 1
        nearby = max(self.gaps[first:last], default=MISSED_SECONDS if not self.times else 0)
        return min(max(nearby, 2 * TICK_SECONDS), MISSED_SECONDS)


def _tick_age(deed: Deed) -> float:
    return float(deed.saw.get("tick_age_seconds") or 0)


def order(reading: Reading) -> Verdict:
    """Numbers of calls, as they came: each must be higher than all before it."""
    findings, numbers = Findings(), list[int]()
    inversions, foremost = 0, (0, 0)
    for entry, _there in calls(reading.journal):
        findings.checked += 1
        if numbers and entry.number <= numbers[-1]:
            inversions += len(numbers) - bisect_left(numbers, entry.number)
            _overtaken(reading, findings, entry, foremost)
        insort(numbers, entry.number)
        foremost = max(foremost, (entry.number, entry.person))
    findings.note(_("Pairs in the wrong order: %(pairs)s."), pairs=inversions)
    return findings.verdict("order", _("Let in in the order of their numbers"))


def _overtaken(
    reading: Reading, findings: Findings, entry: Entry, foremost: tuple[int, int]
) -> None:
    number, person = foremost
    words = _("%(at)s s: no. %(number)s (%(who)s) was called after no. %(other)s (%(whom)s).")
    if entry.number == number:
        words = _(
            "%(at)s s: no. %(number)s (%(who)s) was called again, after no. %(other)s (%(whom)s)."
        )
    findings.against(
        reading.clocks.steady(entry.at), words,
        at=reading.at_server(entry.at), number=entry.number, who=reading.name(entry.person),
        other=number, whom=reading.name(person),
    )  # fmt: skip


def paused(reading: Reading) -> Verdict:
    """While the queue is surely paused nobody is called."""
    findings = Findings()
    spans = list(_surely_paused(reading))
    findings.checked = len(spans)
    for entry, _there in calls(reading.journal) if spans else ():
        at = reading.clocks.steady(entry.at)
        if any(began < at < ended for began, ended in spans):
            findings.against(
                at, _("%(at)s s: no. %(number)s (%(who)s) was called during a pause."),
                at=reading.at(at), number=entry.number, who=reading.name(entry.person),
            )  # fmt: skip
    if spans:
        findings.note(
            _("Looked at: %(seconds)s s of pause, without the first %(first)s s of each; up to "
              "%(waiting)s people waited meanwhile."),
            seconds=f"{sum(ended - began for began, ended in spans):.1f}",
            first=f"{PAUSE_SECONDS:g}", waiting=_most_waiting(reading, spans),
        )  # fmt: skip
    return findings.verdict("paused", _("Nobody let in during a pause"))


def pauses(reading: Reading) -> Iterator[tuple[float, float]]:
    """From a pause that was made until the next move was tried, whatever became of that one."""
    moves = sorted(reading.of("move"), key=lambda deed: deed.began)
    for deed, after in pairwise(moves):
        if deed.done and deed.saw.get("move") == "pause":
            yield deed.ended, after.began


def _surely_paused(reading: Reading) -> Iterator[tuple[float, float]]:
    for began, ended in pauses(reading):
        began += reading.clocks.tolerance + PAUSE_SECONDS
        if began < ended:
            yield began, ended


def _most_waiting(reading: Reading, spans: list[tuple[float, float]]) -> int:
    seen = (
        int(deed.saw.get("waiting") or 0)
        for deed in reading.of("sample")
        if deed.done and any(began < deed.ended < ended for began, ended in spans)
    )
    return max(seen, default=0)
