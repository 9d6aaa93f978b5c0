"""Labels of the console, and the tables beside its charts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ticketing.console.models import CHART_FIELDS
from ticketing.events.models import EventChange
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.selectors.labels import (
    AUTOPILOT_REASONS,
    is_by_autopilot,
    reason_label,
    subject_label,
    value_label,
)

State = SaleQueue.State
# Every text of the page's script; the page hands them over as data attributes.
SCRIPT_LABELS: Mapping[str, Any] = {
    "live": _("Live"),
    "polling": _("Every few seconds"),
    "lost": _("Reconnecting …"),
    "late": _("Data is out of date"),
    "still": _("Sale is not running"),
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
    "money": _("Revenue"),
    "time": _("Time"),
    **{f"state-{state.value}": state.label for state in State},
    **{f"pilot-{name}": label for name, label in AUTOPILOT_REASONS.items()},
    "pilot-off": _("switched off"),
    "breaker-closed": _("working"),
    "breaker-open": _("stopped: the gateway fails"),
    "breaker-half_open": _("trying again"),
}
BREAKER = {name: SCRIPT_LABELS[f"breaker-{name}"] for name in ("closed", "open", "half_open")}
MINUTES = 15


@dataclass(frozen=True)
class Button:
    """A state change of the queue; `at_once` needs no confirmation."""

    to: str
    label: str | Promise
    at_once: bool = False
    dangerous: bool = False


MOVE_LABELS: dict[tuple[str, str], str | Promise] = {
    (State.PAUSED, State.OPEN): _("Resume"),
    (State.DRAINING, State.OPEN): _("Let people join again"),
}
STATE_LABELS: dict[str, str | Promise] = {
    State.LOBBY: _("Open the lobby"),
    State.OPEN: _("Open the sale"),
    State.PAUSED: pgettext_lazy("a queue", "Pause"),
    State.DRAINING: _("Drain"),
    State.CLOSED: _("Close for good"),
}


def state_buttons(queue: SaleQueue, *, may_move: bool, may_close: bool) -> list[Button]:
    """The state changes that this user may make now."""
    allowed = {state: may_close if state == State.CLOSED else may_move for state in State}
    return [_button(queue.state, state) for state in queue.moves if allowed[state]]


def _button(before: str, to: str) -> Button:
    resumes = (before, to) == (State.PAUSED, State.OPEN)
    return Button(
        to=State(to).value,
        label=MOVE_LABELS.get((before, to), STATE_LABELS[to]),
        at_once=to == State.PAUSED or resumes,
        dangerous=to == State.CLOSED,
    )


def minutes_table(rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """The last chart row of each of the last minutes, newest first."""
    by_minute = {row[0] // 60: row for row in rows}
    latest = [by_minute[minute] for minute in sorted(by_minute, reverse=True)[:MINUTES]]
    return [
        {
            "at": localtime(datetime.fromtimestamp(row[0], UTC)),
            **dict(zip(CHART_FIELDS, row, strict=True)),
        }
        for row in latest
    ]


def change_rows(changes: Iterable[QueueChange | EventChange]) -> list[dict[str, Any]]:
    """Audit log rows in the language of the reader."""
    return [{"at": change.at, "by": change.by, **_change_labels(change)} for change in changes]


def _change_labels(change: QueueChange | EventChange) -> dict[str, Any]:
    if isinstance(change, EventChange):
        return {
            "what": change.what_label,
            "before": change.value_label(change.before),
            "after": change.value_label(change.after),
            "why": change.why,
        }
    author = {"by": _("autopilot")} if is_by_autopilot(change) else {}
    return {
        "what": subject_label(change),
        "before": value_label(change, change.before),
        "after": value_label(change, change.after),
        "why": reason_label(change),
        **author,
    }


def format_duration(seconds: int) -> str:
    """As the page's script formats it."""
    minutes, rest = divmod(seconds, 60)
    if seconds < 60:
        return str(SCRIPT_LABELS["seconds"]).format(n=seconds)
    if minutes < 60:
        return str(SCRIPT_LABELS["minutes"]).format(m=minutes, s=rest)
    return str(SCRIPT_LABELS["hours"]).format(h=minutes // 60, m=minutes % 60)
