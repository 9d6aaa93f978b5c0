"""How states, changes and counts of a queue are shown to operators."""

from collections.abc import Iterable

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
    known = PLACES if " " in change.what else STATES if change.what == "state" else {}
    return str(known.get(value, value)) or NOTHING


def changes_table(changes: Iterable[QueueChange]) -> SafeString | str:
    rows = (
        (
            localtime(change.at).strftime("%Y-%m-%d %H:%M:%S"),
            change.by or _("the system"),
            what_words(change),
            value_words(change, change.before),
            value_words(change, change.after),
            change.why,
        )
        for change in changes
    )
    cells = "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>→ {}</td><td>{}</td></tr>"
    table = format_html_join("", cells, rows)
    return format_html('<table class="queue-changes">{}</table>', table) if table else NOTHING
