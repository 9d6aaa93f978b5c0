"""Rows of the audit trail in the language of the reader, as far as their role lets them read."""

from collections.abc import Callable, Iterable
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from payments.models import PaymentStep
from payments.selectors.labels import note_label, state_label
from reservations.models import ReservationChange, StandbyChange, TicketChange
from reservations.selectors.labels import (
    reservation_state_label,
    standby_reason_label,
    standby_value_label,
    ticket_value_label,
)
from ticketing.accounts.models import User
from ticketing.console.selectors.audit_trail import KINDS, Entry
from ticketing.console.services.roles import FIND_PEOPLE
from ticketing.console.views.labels import change_labels
from ticketing.core.audit import ChangeRecord

Row = dict[str, Any]


def trail_rows(entries: Iterable[Entry], *, reader: User) -> list[Row]:
    """What is shown and exported of each change."""
    names_people = reader.has_perm(FIND_PEOPLE)
    return [_row(entry, names_people) for entry in entries]


def _row(entry: Entry, names_people: bool) -> Row:
    change = entry.change
    labels = LABELS.get(type(change), change_labels)(change)
    who = {"by": _author(change, names_people)}
    return {"at": change.at, "kind": KINDS[entry.kind], **who, "link": "", **labels}


def _author(change: ChangeRecord, names_people: bool) -> str:
    """Fans by name only for those who may look people up."""
    if change.by is None:
        return _("the system")
    return str(change.by) if change.by.is_staff or names_people else _("a fan")


def _reservation(change: ReservationChange) -> Row:
    link = reverse("admin:reservations_reservation_change", args=[change.reservation_id])
    what = _("order %(code)s") % {"code": change.reservation.code}
    return _values(change, what, link, reservation_state_label) | {"why": change.why}


def _ticket(change: TicketChange) -> Row:
    link = reverse("admin:reservations_ticket_change", args=[change.ticket_id])
    values = {"code": change.ticket.reservation.code, "what": change.get_what_display()}
    what = _("ticket of %(code)s: %(what)s") % values
    return {
        "what": what,
        "before": ticket_value_label(change, change.before),
        "after": ticket_value_label(change, change.after),
        "why": change.why,
        "link": link,
    }


def _standby(change: StandbyChange) -> Row:
    link = reverse("admin:reservations_standbyentry_change", args=[change.entry_id])
    what = _("standby list, person %(person)s") % {"person": change.entry.fan_id}
    return _values(change, what, link, standby_value_label) | {
        "why": standby_reason_label(change.why)
    }


def _payment(step: PaymentStep) -> Row:
    link = reverse("admin:payments_payment_change", args=[step.payment_id])
    what = _("payment of %(code)s") % {"code": step.payment.reservation.code}
    return _values(step, what, link, state_label) | {"why": note_label(step.note)}


def _values(change: Any, what: str, link: str, label: Callable[[str], str]) -> Row:
    before, after = label(change.before), label(change.after)
    return {"what": what, "before": before, "after": after, "link": link}


LABELS: dict[type, Callable[[Any], Row]] = {
    ReservationChange: _reservation,
    TicketChange: _ticket,
    StandbyChange: _standby,
    PaymentStep: _payment,
}
