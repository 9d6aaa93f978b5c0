"""What operators read about states, changes and people of a queue, in their language."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from waiting_queue.keys import number_label
from waiting_queue.models import QueueChange, SaleQueue, WaitingPage
from waiting_queue.selectors.sales import OPEN_SALE, OVER, STATUSES, STOPPED, sale_status

NO_VALUE = "–"
State = SaleQueue.State
STATES = {str(state.value): state.label for state in State}
MODES = {str(mode.value): mode.label for mode in SaleQueue.Mode}
# What moving a sale to a state means, shown before the operator confirms it.
MOVE_CONSEQUENCES: Mapping[str, Any] = {
    State.SCHEDULED: gettext_lazy(
        "Everybody is sent out of lobby and line. It opens anew at its time, with a new draw."
    ),
    State.LOBBY: gettext_lazy("People gather from now on, without order, until the queue opens."),
    State.OPEN: gettext_lazy(
        "People are called from now on. A lobby is drawn first; whoever comes later is behind it. "
        "A line that was closed begins anew."
    ),
    State.PAUSED: gettext_lazy("Nobody is called. People may still join, and those inside go on."),
    State.DRAINING: gettext_lazy("Nobody can join any more. Those in the line are still called."),
    State.CLOSED: gettext_lazy(
        "Everybody loses their place at once, those inside too. The line can be opened again, but "
        "begins anew."
    ),
    STOPPED: gettext_lazy(
        "Nobody is called, and nobody inside can take seats. What is held can still be paid for."
    ),
}
MOVE_LABELS: Mapping[str, Any] = {
    State.SCHEDULED: gettext_lazy("Reset the sale"),
    State.LOBBY: gettext_lazy("Open the lobby"),
    State.OPEN: gettext_lazy("Open the sale"),
    State.PAUSED: pgettext_lazy("a queue", "Pause the line"),
    State.DRAINING: gettext_lazy("Drain"),
    State.CLOSED: gettext_lazy("Close"),
    STOPPED: gettext_lazy("Stop the sale"),
}
OPENING_LABELS: Mapping[str, Any] = {
    State.PAUSED: gettext_lazy("Resume"),
    STOPPED: gettext_lazy("Resume"),
    State.DRAINING: gettext_lazy("Let people join again"),
    State.CLOSED: gettext_lazy("Open again"),
    OPEN_SALE: gettext_lazy("Open the line again"),
    OVER: gettext_lazy("Open again"),
}
NOTICE_SET = gettext_lazy("Everyone in line reads your message within seconds.")
NOTICE_REMOVED = gettext_lazy("There is no message any more.")
# States of a person, as the Lua scripts and the audit log name them.
PERSON_STATES = {
    "none": gettext_lazy("not in the line"),
    "lobby": gettext_lazy("in the lobby"),
    "waiting": gettext_lazy("waiting"),
    "ready": gettext_lazy("called, not yet in"),
    "admitted": gettext_lazy("inside"),
    "completed": gettext_lazy("finished"),
    "at_limit": gettext_lazy("has as many seats as allowed"),
    "left": pgettext_lazy("of a person in a line", "left"),
    "expired": gettext_lazy("was away or too late"),
    "blocked": gettext_lazy("blocked"),
    "unblocked": gettext_lazy("unblocked"),
    "closed": gettext_lazy("the queue closed"),
    "refused": gettext_lazy("appeal refused"),
    "demoted": gettext_lazy("moved to the end of the line"),
    "restored": gettext_lazy("got the old place back"),
    "asked": gettext_lazy("asked to verify who they are"),
    "unasked": gettext_lazy("need not verify any more"),
    "bypass": gettext_lazy("need not wait"),
    "bypass_ended": gettext_lazy("waits like everybody else"),
}
# The autopilot's decisions, by the code in the audit log; `a` and `b` are two numbers with it.
AUTOPILOT_REASONS: Mapping[str, Any] = {
    "new": gettext_lazy("on, looks in a moment"),
    "slow_pages": gettext_lazy("pages take {a} ms, the target is {b} ms: slower"),
    "slow_database": gettext_lazy("the database takes {a} ms, the target is {b} ms: slower"),
    "steady": gettext_lazy("close to the target ({a} of {b} ms): as it is"),
    "healthy": gettext_lazy("all is well (pages take {a} ms): a little faster"),
    "no_data": gettext_lazy("too little was measured: as it is"),
    "nobody_waits": gettext_lazy("nobody waits: as it is"),
    "full": gettext_lazy("all places inside are taken: as it is"),
    "stock": gettext_lazy("seats for {a} more people: no faster than that"),
    "by_hand": gettext_lazy("the rate was turned by hand"),
}
AUTOPILOT_WHY = re.compile(r"autopilot: (\w+)(?: (-?\d+) (-?\d+))?")
PAGE = "page"
SUBJECTS = {
    "created": pgettext_lazy("of a queue", "created"),
    "rebuilt": gettext_lazy("rebuilt"),
    "autopilot": gettext_lazy("autopilot"),
    PAGE: gettext_lazy("waiting page"),
    "evidence": gettext_lazy("export of evidence"),
}
VALUES = {"True": gettext_lazy("yes"), "False": gettext_lazy("no"), "off": gettext_lazy("off")}
# Subjects whose values have labels of their own; a text is shown as it was written.
VALUES_BY_SUBJECT: Mapping[str, Mapping[str, Any]] = {
    "state": STATES,
    "mode": MODES,
    "notice": {},
    "public_value_source": {},
    "public_value": {},
}
PAGE_VALUES: Mapping[str, Any] = {
    "published": pgettext_lazy("of a waiting page", "published"),
    "withdrawn": pgettext_lazy("of a waiting page", "withdrawn"),
    "links": gettext_lazy("links"),
    "hints": gettext_lazy("hints"),
}
# Reasons to choose from when a line is paused or a sale is stopped; each reads its own language.
PAUSE_REASONS: Mapping[str, Any] = {
    "technical": gettext_lazy("technical problem, being worked on"),
    "payments": gettext_lazy("payments fail or are slow"),
    "overload": gettext_lazy("the site is too slow"),
    "seats": gettext_lazy("seats or prices are being corrected"),
    "organiser": gettext_lazy("at the request of the organiser"),
}
REASONS = {
    **PAUSE_REASONS,
    "rehearsal": gettext_lazy("rehearsal"),
    "sale_over": gettext_lazy("the sale is over"),
    "public_value_missing": gettext_lazy("not entered before the opening: drawn without it"),
    "verified": gettext_lazy("verified who they are"),
    "group: new_accounts": gettext_lazy(
        "many accounts of one network or browser, nearly all of them less than a day old"
    ),
    "group: young_accounts": gettext_lazy(
        "many accounts of one network or browser, nearly all of them less than a week old"
    ),
    "group: run_outs": gettext_lazy(
        "many accounts of one network or browser that let holds run out again and again"
    ),
}


def move_label(queue: SaleQueue, to: str) -> Any:
    """Return the label of the button that moves the sale there."""
    status = sale_status(queue)
    return OPENING_LABELS.get(status, MOVE_LABELS[to]) if to == State.OPEN else MOVE_LABELS[to]


def status_badge(queue: SaleQueue) -> SafeString:
    status = sale_status(queue)
    text = '<span class="state queue-{}" data-state>{}</span>'  # the console's script updates it
    return format_html(text, status, STATUSES[status])


def subject_label(change: QueueChange) -> str:
    """Return what was changed: a knob by its form label, a person by their account id."""
    subject, _space, person = change.what.partition(" ")
    if person:
        return _("person %(person)s") % {"person": person}
    if subject.startswith("lane_keys_"):
        return _("keys of lane %(number)s") % {"number": subject.removeprefix("lane_keys_")}
    if subject.startswith("lane_"):
        return _("lane %(number)s") % {"number": subject.removeprefix("lane_")}
    fields = {field.name: str(field.verbose_name) for field in SaleQueue._meta.fields}
    return str(SUBJECTS.get(subject) or fields.get(subject, subject))


def value_label(change: QueueChange, value: str) -> str:
    """Return the label of a `before` or `after` value."""
    if change.what == PAGE:
        return ", ".join(map(_page_label, value.split(", "))) or NO_VALUE
    is_person = " " in change.what
    if is_person and value.isdigit():  # the number before a demotion
        return number_label(int(value))
    labels = PERSON_STATES if is_person else VALUES_BY_SUBJECT.get(change.what, VALUES)
    return str(labels.get(value, value)) or NO_VALUE


def _page_label(value: str) -> str:
    """Return what became of a waiting page, or which of its fields was changed."""
    fields = {field.name: str(field.verbose_name) for field in WaitingPage._meta.concrete_fields}
    fields.pop("published")
    return str(PAGE_VALUES.get(value) or fields.get(value, value))


def is_by_autopilot(change: QueueChange) -> bool:
    return change.by_id is None and AUTOPILOT_WHY.fullmatch(change.why) is not None


def reason_label(change: QueueChange) -> str:
    """Return the reason as the operator wrote it; the autopilot's codes are spelled out."""
    noted = AUTOPILOT_WHY.fullmatch(change.why) if is_by_autopilot(change) else None
    if noted and noted[1] in AUTOPILOT_REASONS:
        return autopilot_reason(noted[1], int(noted[2] or 0), int(noted[3] or 0))
    return reason_text(change.why)


def reason_text(why: str) -> str:
    """Return a reason as it was written, or what the system's code for it means."""
    return str(REASONS.get(why, why))


def autopilot_reason(code: str, a: int = 0, b: int = 0) -> str:
    return str(AUTOPILOT_REASONS.get(code or "new", code)).format(a=f"{a:,}", b=f"{b:,}")


def changes_table(changes: Iterable[QueueChange]) -> SafeString | str:
    """Return changes as an HTML table."""
    rows = (
        (
            localtime(change.at).strftime("%Y-%m-%d %H:%M:%S"),
            change.by or _("the system"),
            subject_label(change),
            value_label(change, change.before),
            value_label(change, change.after),
            reason_label(change),
        )
        for change in changes
    )
    cells = "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>→ {}</td><td>{}</td></tr>"
    table = format_html_join("", cells, rows)
    return format_html('<table class="queue-changes">{}</table>', table) if table else NO_VALUE
