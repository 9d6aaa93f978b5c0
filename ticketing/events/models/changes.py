"""The change history of events, and its values as operators read them."""

import re
from collections.abc import Mapping

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from ticketing.core.audit import ChangeRecord
from ticketing.core.labels import seats_label
from ticketing.events.models.approvals import Approval
from ticketing.events.models.events import Event
from ticketing.events.models.grades import Grade
from ticketing.events.models.seats import Seat

GRADE, REHEARSAL, CALLED, EDITS = "grade", "rehearsal", "called", ("created", "edited")
APPROVAL = "approval"
WHAT_LABELS: Mapping[str, str | Promise] = {
    "state": _("status"),
    "seats": _("seats"),
    "created": pgettext_lazy("of an event", "created"),
    "edited": pgettext_lazy("of an event", "edited"),
    "duplicated": pgettext_lazy("of an event", "duplicated"),
    "entry_numbers": _("entry numbers"),
    REHEARSAL: _("Rehearsal"),
    "audit": _("export of the audit trail"),
}
END_LABELS: Mapping[str, str | Promise] = {"deleted": _("deleted"), "stopped": _("stopped")}
STATE_LABELS: Mapping[str, str | Promise] = {
    str(state.value): state.label for states in (Event.State, Seat.State) for state in states
}
# "seats 26", and as older rows have it: "26 seats".
SEAT_COUNT = re.compile(r"seats (\d+)|(\d+) seats")
# Between "name=value" pairs, whose values may contain commas.
PAIR_SEPARATOR = re.compile(r", (?=\w+=)")


class EventChange(ChangeRecord):
    """A change of an event's state, seats, prices or details."""

    event = models.ForeignKey(
        Event, models.CASCADE, related_name="changes", verbose_name=_("event")
    )
    what = models.CharField(_("what"), max_length=40)
    before = models.CharField(_("before"), max_length=200, blank=True)
    after = models.CharField(_("after"), max_length=200, blank=True)
    why = models.CharField(_("why"), max_length=200, blank=True, db_column="reason")

    class Meta(ChangeRecord.Meta):
        verbose_name = _("change of an event")
        verbose_name_plural = _("changes of events")
        indexes = [models.Index(fields=["event", "-at", "-id"], name="changes_of_an_event_by_time")]

    @property
    def what_label(self) -> str:
        """`what` in the reader's language; unknown values as they are, here and below."""
        if count := SEAT_COUNT.fullmatch(self.what):
            return seats_label(int(count[1] or count[2]))
        kind, _space, code = self.what.partition(" ")
        if kind == GRADE and code:
            return gettext("price grade %(code)s") % {"code": code}
        if kind == APPROVAL and code in Approval.Action:
            return gettext("approval: %(action)s") % {"action": Approval.Action(code).label}
        if kind == CALLED and code:
            return gettext("called numbers of %(section)s") % {"section": code}
        return str(WHAT_LABELS.get(self.what, self.what))

    def value_label(self, value: str) -> str:
        """`before` or `after` in the reader's language."""
        kind = self.what.partition(" ")[0]
        if value in END_LABELS and kind in (GRADE, REHEARSAL):
            return str(END_LABELS[value])
        if kind == APPROVAL and value in Approval.State:
            return str(Approval.State(value).label)
        if kind in EDITS:
            return ", ".join(_field_label(Event, name) for name in value.split(", "))
        if kind == GRADE:
            return ", ".join(map(_pair_label, PAIR_SEPARATOR.split(value)))
        return str(STATE_LABELS.get(value, value))


def _field_label(model: type[models.Model], name: str) -> str:
    """The field as forms call it."""
    labels = {field.name: str(field.verbose_name) for field in model._meta.fields}
    return labels.get(name, name)


def _pair_label(pair: str) -> str:
    """`price=5000` with the field's label; anything else as it is."""
    name, equals, value = pair.partition("=")
    return f"{_field_label(Grade, name)}: {value}" if equals else pair
