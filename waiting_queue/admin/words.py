"""How states, changes and counts of a queue are shown to operators."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from waiting_queue.models import QueueChange, SaleQueue

NOTHING = "–"
STATES = {str(state.value): state.label for state in SaleQueue.State}
# Where a person can be, as the scripts name it.
PLACES = {
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
# By the word that the audit keeps: why the autopilot does what it does, with two numbers.
PILOT: Mapping[str, Any] = {
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
BY_PILOT = re.compile(r"autopilot: (\w+)(?: (-?\d+) (-?\d+))?")
VALUES = {"True": gettext_lazy("yes"), "False": gettext_lazy("no"), "off": gettext_lazy("off")}
KNOWN: Mapping[str, Mapping[str, Any]] = {"state": STATES, "notice": {}}
WHYS = {"rehearsal": gettext_lazy("rehearsal")}


def badge(state: str) -> SafeString:
    return format_html('<span class="state queue-{}">{}</span>', state, STATES.get(state, state))


def what_words(change: QueueChange) -> str:
    """A knob by its name on the form; a person by their number."""
    kind, _space, person = change.what.partition(" ")
    if person:
        return _("person %(person)s") % {"person": person}
    fields = {field.name: str(field.verbose_name) for field in SaleQueue._meta.fields}
    return str(OTHERS.get(kind) or fields.get(kind, kind))


OTHERS = {
    "created": pgettext_lazy("of a queue", "created"),
    "rebuilt": gettext_lazy("rebuilt"),
    "autopilot": gettext_lazy("autopilot"),
}


def value_words(change: QueueChange, value: str) -> str:
    """States and places by their names; a message as it was written."""
    known = PLACES if " " in change.what else KNOWN.get(change.what, VALUES)
    return str(known.get(value, value)) or NOTHING


def is_by_pilot(change: QueueChange) -> bool:
    return change.by_id is None and BY_PILOT.fullmatch(change.why) is not None


def why_words(change: QueueChange) -> str:
    """What people wrote as they wrote it; what the autopilot noted, in words."""
    noted = BY_PILOT.fullmatch(change.why) if is_by_pilot(change) else None
    if noted and noted[1] in PILOT:
        return pilot_words(noted[1], int(noted[2] or 0), int(noted[3] or 0))
    return str(WHYS.get(change.why, change.why))


def pilot_words(why: str, a: int = 0, b: int = 0) -> str:
    return str(PILOT.get(why or "new", why)).format(a=f"{a:,}", b=f"{b:,}")


def changes_table(changes: Iterable[QueueChange]) -> SafeString | str:
    rows = (
        (
            localtime(change.at).strftime("%Y-%m-%d %H:%M:%S"),
            change.by or _("the system"),
            what_words(change),
            value_words(change, change.before),
            value_words(change, change.after),
            why_words(change),
        )
        for change in changes
    )
    cells = "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>→ {}</td><td>{}</td></tr>"
    table = format_html_join("", cells, rows)
    return format_html('<table class="queue-changes">{}</table>', table) if table else NOTHING
