"""Nobody lost their place by losing the connection: same number before and after, and no end of a
stay that the person did not bring about."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal.simulator.history import Deed, Entry
from ticketing.rehearsal.simulator.judge.claims import refused
from ticketing.rehearsal.simulator.judge.clocks import Dial
from ticketing.rehearsal.simulator.judge.reading import Reading, by_person
from ticketing.rehearsal.simulator.judge.stays import Stay, stays_of
from ticketing.rehearsal.simulator.judge.verdict import Findings, Verdict

SIGNS = ("join", "look", "told", "claim")
# Signs of life reach the line in batches, and an open page gives one every 20 s at most.
BATCH_SECONDS = 3.0
PAGE_SECONDS = 20.0


@dataclass(frozen=True)
class Patience:
    """How long the site waits for somebody; where a knob was turned, the shorter time counts."""

    absence: Dial
    claim: Dial
    passes: Dial


def places(reading: Reading) -> Verdict:
    findings = Findings()
    dials = (reading.dial(f"{name}_seconds") for name in ("absence", "claim", "pass"))
    patience = Patience(*dials)
    seen = by_person(reading.of_line(*SIGNS, "connect", "dropped", "leave"))
    for who, deeds in seen.items():
        stays = stays_of(reading, reading.person.get(who, -1))
        _numbers(reading, findings, stays, deeds)
        for stay in stays:
            _end(reading, findings, patience, stay, deeds)
    findings.note(
        _("Who is away for longer than the knob says may lose their place. Signs of life of "
          "the last "
          "%(batch)s s, and while a fault was on, don't count."), batch=f"{BATCH_SECONDS:g}",
    )  # fmt: skip
    return findings.verdict("places", _("Nobody lost their place through reconnecting"))


def _numbers(reading: Reading, findings: Findings, stays: list[Stay], deeds: list[Deed]) -> None:
    """Every number that was told is one that the person had; a new one needs an end of the old."""
    ends = {stay.number: stay.ended for stay in stays if stay.number}
    before, away = 0, False
    for deed in deeds:
        away = away or deed.did == "dropped"
        number = deed.saw.get("number") if deed.done else None
        if not number or deed.did not in SIGNS:
            continue
        findings.checked += away and bool(before)
        if number not in ends:
            findings.against(
                deed.ended, _("%(at)s s: %(who)s was told no. %(number)s, which the journal "
                              "did not give them."),
                at=reading.at(deed.ended), who=f"#{deed.who}", number=number,
            )  # fmt: skip
        elif number > before > 0 and ends.get(before) is None:
            findings.against(
                deed.ended,
                _("%(at)s s: %(who)s came back with no. %(number)s; it was no. %(before)s "
                  "before, and they never left."),
                at=reading.at(deed.ended), who=f"#{deed.who}", number=number, before=before,
            )  # fmt: skip
        before, away = max(before, number), False


def _end(
    reading: Reading, findings: Findings, patience: Patience, stay: Stay, deeds: list[Deed]
) -> None:
    if stay.ended is None:
        return
    findings.checked += 1
    if stay.ended.kind == "left":
        _left(reading, findings, stay, stay.ended, deeds)
    if stay.ended.kind == "expired":
        _too_soon(reading, findings, patience, stay, stay.ended)
    if stay.ended.kind == "expired" and stay.called is None and stay.admitted is None:
        _not_away(reading, findings, patience, stay.ended, deeds)


def _left(
    reading: Reading, findings: Findings, stay: Stay, ended: Entry, deeds: Iterable[Deed]
) -> None:
    if not any(deed.did == "leave" and not refused(deed) for deed in deeds):
        findings.against(
            reading.clocks.steady(ended.at),
            _("%(at)s s: %(who)s (no. %(number)s) was taken out as having left, and never "
              "asked for it."),
            at=reading.at_server(ended.at), who=reading.name(stay.person), number=stay.number,
        )  # fmt: skip


def _too_soon(
    reading: Reading, findings: Findings, patience: Patience, stay: Stay, ended: Entry
) -> None:
    """A call and a pass last as long as the knob says."""
    since = stay.admitted or stay.called
    if since is None:
        return
    dial = patience.passes if stay.admitted else patience.claim
    began, until = reading.clocks.steady(since.at), reading.clocks.steady(ended.at)
    if reading.clocks.were_turned(began, until):
        return
    if ended.at - since.at < dial.least(began, until) - reading.clocks.tolerance:
        findings.against(
            until,
            _("%(at)s s: %(who)s (no. %(number)s) ran out %(after)s s after their turn, and "
              "had %(had)s s."),
            at=reading.at(until), who=reading.name(stay.person), number=stay.number,
            after=f"{ended.at - since.at:.1f}", had=f"{dial.least(began, until):g}",
        )  # fmt: skip


def _not_away(
    reading: Reading, findings: Findings, patience: Patience, ended: Entry, deeds: list[Deed]
) -> None:
    """Taken out of the line as absent, although they had been heard of lately enough."""
    at = reading.clocks.steady(ended.at)
    absence = patience.absence.least(at - PAGE_SECONDS, at)
    sign = _last_sign(reading, deeds, at, absence)
    margin = BATCH_SECONDS + reading.clocks.tolerance
    if sign is None or at - sign > absence - margin or reading.clocks.is_turned(at, absence):
        return
    findings.against(
        at,
        _("%(at)s s: %(who)s (no. %(number)s) lost their place as absent, %(after)s s after "
          "the last sign "
          "of life; it is kept for %(absence)s s."),
        at=reading.at(at), who=reading.name(ended.person), number=ended.number,
        after=f"{at - sign:.1f}", absence=f"{absence:g}",
    )  # fmt: skip


def _last_sign(reading: Reading, deeds: list[Deed], at: float, absence: float) -> float | None:
    """Polls that were answered, and pages that were open; not while something was broken."""
    signs, tabs = list[float](), dict[str, float]()
    for deed in deeds:
        if deed.began > at:
            break
        if deed.did in {"join", "look"} and deed.done and deed.ended < at:
            signs.append(deed.began)
        elif deed.did == "connect" and deed.done:
            tabs[str(deed.saw.get("tab"))] = deed.ended
        elif deed.did == "dropped":
            opened = tabs.pop(str(deed.saw.get("tab")), deed.began)
            signs += _of_page(opened, deed.began, absence)
    for opened in tabs.values():
        signs += _of_page(opened, at, absence)
    sound = [
        sign for sign in signs if not reading.fault_at(sign - BATCH_SECONDS, sign + BATCH_SECONDS)
    ]
    return max(sound, default=None)


def _of_page(opened: float, closed: float, absence: float) -> list[float]:
    """An open page is a sign of life in each of these stretches, the last one perhaps not."""
    every = min(PAGE_SECONDS, absence / 4) + BATCH_SECONDS
    return [closed - every] if closed - every >= opened else []
