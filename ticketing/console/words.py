"""Words of the console, and tables for those who don't see its charts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ticketing.console.figures import ROW
from ticketing.events.models import EventChange
from waiting_queue.admin.words import PILOT, is_by_pilot, value_words, what_words, why_words
from waiting_queue.models import QueueChange, SaleQueue

State = SaleQueue.State
# What the page's script says; it has no words of its own.
SCRIPT_WORDS: Mapping[str, Any] = {
    "live": _("Live"),
    "polling": _("Every few seconds"),
    "lost": _("Reconnecting …"),
    "late": _("No new numbers come"),
    "still": _("This sale does not run now"),
    "seconds": _("{n} s"),
    "minutes": _("{m} min {s} s"),
    "hours": _("{h} h {m} min"),
    "ago": _("{n} s ago"),
    "silent": _("silent for {n} s"),
    "waiting": _("Waiting"),
    "inside": _("Inside"),
    "lobby": _("Lobby"),
    "ready": _("Called"),
    "admissions": _("Admissions/s"),
    "joins": _("Joins/s"),
    "sold": _("Sold"),
    "paying": _("Being paid"),
    "held": _("Held"),
    "money": _("Money taken"),
    "time": _("Time"),
    **{f"state-{state.value}": state.label for state in State},
    **{f"pilot-{name}": words for name, words in PILOT.items()},
    "pilot-off": _("switched off"),
    "breaker-closed": _("working"),
    "breaker-open": _("stopped: the gateway fails"),
    "breaker-half_open": _("trying again"),
}
BREAKER = {name: SCRIPT_WORDS[f"breaker-{name}"] for name in ("closed", "open", "half_open")}
MINUTES = 15


@dataclass(frozen=True)
class Button:
    """A move of the queue; what changes little is done at once, the rest is asked about."""

    to: str
    words: str | Promise
    at_once: bool = False
    dangerous: bool = False


WORDS: dict[tuple[str, str], str | Promise] = {
    (State.PAUSED, State.OPEN): _("Resume"),
    (State.DRAINING, State.OPEN): _("Let people join again"),
}
VERBS: dict[str, str | Promise] = {
    State.LOBBY: _("Open the lobby"),
    State.OPEN: _("Open the sale"),
    State.PAUSED: pgettext_lazy("a queue", "Pause"),
    State.DRAINING: _("Drain"),
    State.CLOSED: _("Close for good"),
}


def state_buttons(queue: SaleQueue, *, may_move: bool, may_close: bool) -> list[Button]:
    """The moves that this person may make from here."""
    allowed = {state: may_close if state == State.CLOSED else may_move for state in State}
    return [_button(queue.state, state) for state in queue.moves if allowed[state]]


def _button(before: str, to: str) -> Button:
    resumes = (before, to) == (State.PAUSED, State.OPEN)
    return Button(
        to=State(to).value,
        words=WORDS.get((before, to), VERBS[to]),
        at_once=to == State.PAUSED or resumes,
        dangerous=to == State.CLOSED,
    )


def minutes_table(rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """The last row of each of the last minutes, newest first: the charts, as a table."""
    by_minute = {row[0] // 60: row for row in rows}
    latest = [by_minute[minute] for minute in sorted(by_minute, reverse=True)[:MINUTES]]
    return [
        {"at": localtime(datetime.fromtimestamp(row[0], UTC)), **dict(zip(ROW, row, strict=True))}
        for row in latest
    ]


def change_rows(changes: Iterable[QueueChange | EventChange]) -> list[dict[str, Any]]:
    """Who changed what, from what to what, and why: in the reader's words."""
    return [{"at": change.at, "by": change.by, **_words_of(change)} for change in changes]


def _words_of(change: QueueChange | EventChange) -> dict[str, Any]:
    if isinstance(change, EventChange):
        return {
            "what": change.what_label,
            "before": change.value_label(change.before),
            "after": change.value_label(change.after),
            "why": change.why,
        }
    told = {"by": _("autopilot")} if is_by_pilot(change) else {}
    return {
        "what": what_words(change),
        "before": value_words(change, change.before),
        "after": value_words(change, change.after),
        "why": why_words(change),
        **told,
    }


def length_in_words(seconds: int) -> str:
    """As the page's script says it."""
    minutes, rest = divmod(seconds, 60)
    if seconds < 60:
        return str(SCRIPT_WORDS["seconds"]).format(n=seconds)
    if minutes < 60:
        return str(SCRIPT_WORDS["minutes"]).format(m=minutes, s=rest)
    return str(SCRIPT_WORDS["hours"]).format(h=minutes // 60, m=minutes % 60)
