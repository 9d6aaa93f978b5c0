"""Labels of the console, and the tables beside its charts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from ticketing.accounts.models import User
from ticketing.console.models import CHART_FIELDS
from ticketing.console.services.roles import CLOSE_QUEUE, MOVE_QUEUE
from ticketing.events.models import EventChange
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.selectors import STATUSES, STOPPED, sale_moves, sale_status
from waiting_queue.selectors.labels import (
    AUTOPILOT_REASONS,
    PAUSE_REASONS,
    is_by_autopilot,
    move_label,
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
    **{f"state-{status}": label for status, label in STATUSES.items()},
    **{f"pilot-{name}": label for name, label in AUTOPILOT_REASONS.items()},
    "pilot-off": _("switched off"),
    "breaker-closed": _("working"),
    "breaker-open": _("stopped: the gateway fails"),
    "breaker-half_open": _("trying again"),
}
# Moves that ask for a reason, and the key that each move has on the console.
PAUSES = (State.PAUSED, STOPPED)
MOVE_KEYS = {
    State.LOBBY: "l",
    State.OPEN: "o",
    State.PAUSED: "p",
    STOPPED: "s",
    State.DRAINING: "d",
    State.CLOSED: "c",
    State.SCHEDULED: "n",
}
SHORTCUTS: Sequence[tuple[str, Any]] = (
    ("p", _("pause the line")),
    ("s", _("stop the sale")),
    ("o", _("open or resume")),
    ("l", _("open the lobby")),
    ("d", _("drain")),
    ("c", _("close")),
    ("n", _("reset the sale")),
    ("k", _("settings of the line")),
    ("a", _("autopilot")),
    ("m", _("message to everyone in line")),
    ("f", _("find a person")),
    ("z", _("freeze a seat")),
    ("h", _("recent changes")),
    ("t", _("the last minutes as a table")),
    ("?", _("this list")),
    ("Esc", _("close what is open")),
)
BREAKER = {name: SCRIPT_LABELS[f"breaker-{name}"] for name in ("closed", "open", "half_open")}
MINUTES = 15


@dataclass(frozen=True)
class Button:
    """A state change of the queue; `at_once` needs no confirmation, `asks_why` a reason."""

    to: str
    label: str | Promise
    key: str
    at_once: bool = False
    asks_why: bool = False
    dangerous: bool = False


def needs_manager(to: str) -> bool:
    """Whether the move sends everybody in the line away."""
    return to in (State.CLOSED, State.SCHEDULED)


def move_permission(queue: SaleQueue, to: str) -> str:
    """Who closed a sale may open it again."""
    reopens = to == State.OPEN and queue.state == State.CLOSED
    return CLOSE_QUEUE if needs_manager(to) or reopens else MOVE_QUEUE


def state_buttons(queue: SaleQueue, user: User) -> list[Button]:
    """The state changes that this user may make now."""
    moves = [to for to in sale_moves(queue) if user.has_perm(move_permission(queue, to))]
    return [_button(queue, to) for to in moves]


def _button(queue: SaleQueue, to: str) -> Button:
    resumes = to == State.OPEN and sale_status(queue) in (State.PAUSED, STOPPED)
    return Button(
        to=to,
        label=move_label(queue, to),
        key=MOVE_KEYS[to],
        at_once=resumes,
        asks_why=to in PAUSES,
        dangerous=needs_manager(to),
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
    return [{"at": change.at, "by": change.by, **change_labels(change)} for change in changes]


def change_labels(change: QueueChange | EventChange) -> dict[str, Any]:
    if isinstance(change, EventChange):
        return {
            "what": change.what_label,
            "before": change.value_label(change.before),
            "after": change.value_label(change.after),
            "why": PAUSE_REASONS.get(change.why, change.why),
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
