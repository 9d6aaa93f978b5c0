"""The history of an event in the reader's words. Rows keep facts; older ones keep some English."""

import re
from collections.abc import Callable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from ticketing.events.admin.pictures import state_words
from ticketing.events.models import Event, EventChange, Grade

GRADE, REHEARSAL, EDITS = "grade", "rehearsal", ("created", "edited")
WHAT: dict[str, str | Promise] = {
    "state": gettext_lazy("status"),
    "seats": gettext_lazy("seats"),
    "created": pgettext_lazy("of an event", "created"),
    "edited": pgettext_lazy("of an event", "edited"),
    REHEARSAL: gettext_lazy("Rehearsal"),
}
ENDS: dict[str, str | Promise] = {
    "deleted": gettext_lazy("deleted"),
    "stopped": gettext_lazy("stopped"),
}
# "seats 26", and as it was written before: "26 seats".
COUNTED = re.compile(r"seats (\d+)|(\d+) seats")
NEXT_VALUE = re.compile(r", (?=\w+=)")


def what_words(change: EventChange) -> str:
    """What can't be read is shown as it is, here and below."""
    if counted := COUNTED.fullmatch(change.what):
        return seats_words(int(counted[1] or counted[2]))
    kind, _space, code = change.what.partition(" ")
    if kind == GRADE and code:
        return _("price grade %(code)s") % {"code": code}
    return str(WHAT.get(change.what, change.what))


def value_words(change: EventChange, value: str) -> str:
    kind = change.what.partition(" ")[0]
    if value in ENDS and kind in (GRADE, REHEARSAL):
        return str(ENDS[value])
    if kind in EDITS:
        return ", ".join(map(_named(Event), value.split(", ")))
    if kind == GRADE:
        return ", ".join(map(_set(_named(Grade)), NEXT_VALUE.split(value)))
    return state_words(value)


def seats_words(count: int) -> str:
    return ngettext("%(count)s seat", "%(count)s seats", count) % {"count": f"{count:,}"}


def _named(model: Any) -> Callable[[str], str]:
    """Fields as their forms call them."""
    names = {field.name: str(field.verbose_name) for field in model._meta.fields}
    return lambda name: names.get(name, name)


def _set(named: Callable[[str], str]) -> Callable[[str], str]:
    def words(text: str) -> str:
        name, equals, value = text.partition("=")
        return f"{named(name)}: {value}" if equals else text

    return words
