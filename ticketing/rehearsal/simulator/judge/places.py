"""The promise `places`: nobody loses their place by reconnecting.

The number is the same before and after, and only the person's own doing ends a stay.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import JournalEntry, Record
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence, by_user
from ticketing.rehearsal.simulator.judge.knob_history import KnobHistory
from ticketing.rehearsal.simulator.judge.ownership import refused
from ticketing.rehearsal.simulator.judge.stays import MOVES, Stay, stays_of
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

TITLE = _("Nobody lost their place through reconnecting")

# With the last two a place is given up for another: in a party, or on the standby list.
LEAVING = ("leave", "join_party", "standby")
STANDING_ACTIONS = ("join", "poll", "push", "claim")
# Heartbeats reach the queue in batches, and an open page sends one at least every 20 s.
BATCH_SECONDS = 3.0
PAGE_SECONDS = 20.0


@dataclass(frozen=True)
class Timeouts:
    """How long the site waits for somebody; around a change of a knob the shorter time counts."""

    absence: KnobHistory
    claim: KnobHistory
    passes: KnobHistory


def check(evidence: IndexedEvidence) -> Verdict:
    findings = Findings()
    knob_histories = (evidence.knob(f"{name}_seconds") for name in ("absence", "claim", "pass"))
    timeouts = Timeouts(*knob_histories)
    seen = by_user(evidence.of_queue(*STANDING_ACTIONS, *LEAVING, "connect", "disconnect"))
    for who, records in seen.items():
        stays = stays_of(evidence, evidence.person_of.get(who, -1))
        _numbers(evidence, findings, stays, records)
        _lost(evidence, findings, records)
        for stay in stays:
            _end(evidence, findings, timeouts, stay, records)
    findings.note(
        _("Who is away for longer than the knob says may lose their place. Signs of life of "
          "the last "
          "%(batch)s s, and while a fault was on, don't count."), batch=f"{BATCH_SECONDS:g}",
    )  # fmt: skip
    return findings.verdict("places", TITLE)


def _numbers(
    evidence: IndexedEvidence, findings: Findings, stays: list[Stay], records: list[Record]
) -> None:
    """Every number shown was the person's; a new number needs an end of the old one."""
    ends = {stay.number: stay.ended for stay in stays if stay.number}
    no_worse = _without_worse(records, {one.number for one in stays if one.began.kind in MOVES})
    before, away = 0, False
    for record in records:
        away = away or record.action == "disconnect"
        number = record.data.get("number") if record.done else None
        if not number or record.action not in STANDING_ACTIONS:
            continue
        findings.checked += away and bool(before)
        if number not in ends and number in no_worse and evidence.data_loss_at(record.ended):
            continue  # it was lost with Redis, and they were told none behind it
        if number not in ends:
            findings.against(
                record.ended, _("%(at)s s: %(who)s was told no. %(number)s, which the journal "
                              "did not give them."),
                at=evidence.at(record.ended), who=f"#{record.user}", number=number,
            )  # fmt: skip
        elif number > before and before in ends and ends[before] is None:
            findings.against(
                record.ended,
                _("%(at)s s: %(who)s came back with no. %(number)s; it was no. %(before)s "
                  "before, and they never left."),
                at=evidence.at(record.ended), who=f"#{record.user}", number=number, before=before,
            )  # fmt: skip
        before, away = max(before, number), False


def _without_worse(records: list[Record], moved_to: set[int]) -> set[int]:
    """The numbers after which somebody was told a better one or none, left, or was moved."""
    found, number = set[int](), 0
    for record in records:
        if record.action in LEAVING and not refused(record):
            found.add(number)
        elif record.done and record.action in STANDING_ACTIONS:
            before, number = number, int(record.data.get("number") or 0)
            found |= {before} if 0 < number < before or number in moved_to else set()
    return found | {number}


def _lost(evidence: IndexedEvidence, findings: Findings, records: list[Record]) -> None:
    """Nobody who has a number is told that they are in no line, unless they left it."""
    number, may_have_left = 0, False
    for record in records:
        may_have_left = may_have_left or (record.action in LEAVING and not refused(record))
        if not record.done or record.action not in STANDING_ACTIONS:
            continue
        if record.data.get("state") == "NONE" and number and not may_have_left:
            findings.against(
                record.ended, _("%(at)s s: %(who)s had no. %(number)s, and is in no line now."),
                at=evidence.at(record.ended), who=f"#{record.user}", number=number,
            )  # fmt: skip
        number = int(record.data.get("number") or 0)


def _end(
    evidence: IndexedEvidence,
    findings: Findings,
    timeouts: Timeouts,
    stay: Stay,
    records: list[Record],
) -> None:
    if stay.ended is None:
        return
    findings.checked += 1
    if stay.ended.kind == "left":
        _left(evidence, findings, stay, stay.ended, records)
    if stay.ended.kind == "expired":
        _too_soon(evidence, findings, timeouts, stay, stay.ended)
    if stay.ended.kind == "expired" and stay.called is None and stay.admitted is None:
        _not_away(evidence, findings, timeouts, stay.ended, records)


def _left(
    evidence: IndexedEvidence,
    findings: Findings,
    stay: Stay,
    ended: JournalEntry,
    records: Iterable[Record],
) -> None:
    if not any(record.action in LEAVING and not refused(record) for record in records):
        findings.against(
            evidence.clocks.recorder_time(ended.at),
            _("%(at)s s: %(who)s (no. %(number)s) was taken out as having left, and never "
              "asked for it."),
            at=evidence.at_server(ended.at), who=evidence.name(stay.person), number=stay.number,
        )  # fmt: skip


def _too_soon(
    evidence: IndexedEvidence,
    findings: Findings,
    timeouts: Timeouts,
    stay: Stay,
    ended: JournalEntry,
) -> None:
    """A call and a pass last as long as their knobs say."""
    since = stay.admitted or stay.called
    if since is None:
        return
    knob_history = timeouts.passes if stay.admitted else timeouts.claim
    began, until = evidence.clocks.recorder_time(since.at), evidence.clocks.recorder_time(ended.at)
    if evidence.clocks.were_shifted(began, until):
        return
    if ended.at - since.at < knob_history.lowest(began, until) - evidence.clocks.tolerance:
        findings.against(
            until,
            _("%(at)s s: %(who)s (no. %(number)s) ran out %(after)s s after their turn, and "
              "had %(had)s s."),
            at=evidence.at(until), who=evidence.name(stay.person), number=stay.number,
            after=f"{ended.at - since.at:.1f}", had=f"{knob_history.lowest(began, until):g}",
        )  # fmt: skip


def _not_away(
    evidence: IndexedEvidence,
    findings: Findings,
    timeouts: Timeouts,
    ended: JournalEntry,
    records: list[Record],
) -> None:
    """Nobody is removed as absent who gave a sign of life recently enough."""
    at = evidence.clocks.recorder_time(ended.at)
    absence = timeouts.absence.lowest(at - PAGE_SECONDS, at)
    sign = _last_sign(evidence, records, at, absence)
    margin = BATCH_SECONDS + evidence.clocks.tolerance
    if sign is None or at - sign > absence - margin or evidence.clocks.is_shifted(at, absence):
        return
    findings.against(
        at,
        _("%(at)s s: %(who)s (no. %(number)s) lost their place as absent, %(after)s s after "
          "the last sign "
          "of life; it is kept for %(absence)s s."),
        at=evidence.at(at), who=evidence.name(ended.person), number=ended.number,
        after=f"{at - sign:.1f}", absence=f"{absence:g}",
    )  # fmt: skip


def _last_sign(
    evidence: IndexedEvidence, records: list[Record], at: float, absence: float
) -> float | None:
    """The last answered poll or open page; those around faults do not count."""
    signs, tabs = list[float](), dict[str, float]()
    for record in records:
        if record.began > at:
            break
        if record.action in {"join", "poll"} and record.done and record.ended < at:
            signs.append(record.began)
        elif record.action == "connect" and record.done:
            tabs[str(record.data.get("tab"))] = record.ended
        elif record.action == "disconnect":
            opened = tabs.pop(str(record.data.get("tab")), record.began)
            signs += _page_heartbeat(opened, record.began, absence)
    for opened in tabs.values():
        signs += _page_heartbeat(opened, at, absence)
    sound = [
        sign for sign in signs if not evidence.fault_at(sign - BATCH_SECONDS, sign + BATCH_SECONDS)
    ]
    return max(sound, default=None)


def _page_heartbeat(opened: float, closed: float, absence: float) -> list[float]:
    """The last heartbeat that an open page surely sent."""
    every = min(PAGE_SECONDS, absence / 4) + BATCH_SECONDS
    return [closed - every] if closed - every >= opened else []
