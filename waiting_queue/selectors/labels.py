"""What operators read about states, changes and people of a queue, in their language."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from waiting_queue.models import QueueChange, SaleQueue

NO_VALUE = "–"
State = SaleQueue.State
STATES = {str(state.value): state.label for state in State}
# What moving a queue to a state means, shown before the operator confirms it.
MOVE_CONSEQUENCES = {
    State.LOBBY: gettext_lazy("People gather from now on, without order, until the queue opens."),
    State.OPEN: gettext_lazy(
        "People are called from now on. A lobby is drawn first; whoever comes later is behind it."
    ),
    State.PAUSED: gettext_lazy("Nobody is called. People may still join, and those inside go on."),
    State.DRAINING: gettext_lazy("Nobody can join any more. Those in the line are still called."),
    State.CLOSED: gettext_lazy(
        "Everybody loses their place at once, those inside too. It can't be opened again."
    ),
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
    "left": pgettext_lazy("of a person in a line", "left"),
    "expired": gettext_lazy("was away or too late"),
    "blocked": gettext_lazy("blocked"),
    "unblocked": gettext_lazy("unblocked"),
    "closed": gettext_lazy("the queue closed"),
    "refused": gettext_lazy("appeal refused"),
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
SUBJECTS = {
    "created": pgettext_lazy("of a queue", "created"),
    "rebuilt": gettext_lazy("rebuilt"),
    "autopilot": gettext_lazy("autopilot"),
}
VALUES = {"True": gettext_lazy("yes"), "False": gettext_lazy("no"), "off": gettext_lazy("off")}
# Subjects whose values have labels of their own; a notice is shown as it was written.
VALUES_BY_SUBJECT: Mapping[str, Mapping[str, Any]] = {"state": STATES, "notice": {}}
REASONS = {"rehearsal": gettext_lazy("rehearsal")}


def state_badge(state: str) -> SafeString:
    return format_html('<span class="state queue-{}">{}</span>', state, STATES.get(state, state))


def subject_label(change: QueueChange) -> str:
    """Return what was changed: a knob by its form label, a person by their account id."""
    subject, _space, person = change.what.partition(" ")
    if person:
        return _("person %(person)s") % {"person": person}
    fields = {field.name: str(field.verbose_name) for field in SaleQueue._meta.fields}
    return str(SUBJECTS.get(subject) or fields.get(subject, subject))


def value_label(change: QueueChange, value: str) -> str:
    """Return the label of a `before` or `after` value."""
    is_person = " " in change.what
    labels = PERSON_STATES if is_person else VALUES_BY_SUBJECT.get(change.what, VALUES)
    return str(labels.get(value, value)) or NO_VALUE


def is_by_autopilot(change: QueueChange) -> bool:
    return change.by_id is None and AUTOPILOT_WHY.fullmatch(change.why) is not None


def reason_label(change: QueueChange) -> str:
    """Return the reason as the operator wrote it; the autopilot's codes are spelled out."""
    noted = AUTOPILOT_WHY.fullmatch(change.why) if is_by_autopilot(change) else None
    if noted and noted[1] in AUTOPILOT_REASONS:
        return autopilot_reason(noted[1], int(noted[2] or 0), int(noted[3] or 0))
    return str(REASONS.get(change.why, change.why))


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
