"""What people read in their mail about money. Text only; in the language in which they paid."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from reservations.models import Reservation
from reservations.selectors import reservation_with_seats
from ticketing.accounts.models import User
from ticketing.core.money import money

Mail = tuple[str, list[str]]


def send_about(kind: str, body: dict[str, Any], *, name: str) -> None:
    """The same message has the same name, so that a mail program shows a repeat once."""
    write = MAILS.get(kind)
    if write is None:
        return
    person = User.objects.get(pk=body["fan"])
    with translation.override(body.get("language") or settings.LANGUAGE_CODE):
        subject, lines = write(body, person)
        text = "\n\n".join([_("Hello %(name)s,") % {"name": person.display_name}, *lines]) + "\n"
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip(">")
    headers = {"Message-ID": f"<{name.replace(':', '-')}@{domain}>"}
    EmailMessage(subject, text, to=[person.email], headers=headers).send()


def _confirmed(body: dict[str, Any], person: User) -> Mail:
    hold = reservation_with_seats(Reservation.objects.get(code=body["reservation"]).pk)
    event = hold.reservation.event
    when = date_format(localtime(event.starts_at), "DATETIME_FORMAT")
    lines = [
        _("your seats for “%(event)s” are paid for and yours.") % {"event": event},
        _("When: %(when)s") % {"when": when},
        _("Seats: %(seats)s") % {"seats": ", ".join(map(_seat, hold.seats))},
        _("Paid: %(amount)s") % {"amount": money(body["amount"], body["currency"])},
        _("Your code: %(code)s") % {"code": body["reservation"]},
    ]
    return _("Your seats for “%(event)s”") % {"event": event}, lines


def _refunded(body: dict[str, Any], person: User) -> Mail:
    event = Reservation.objects.select_related("event").get(code=body["reservation"]).event
    amount = money(body["refunded"], body["currency"])
    lines = [
        _("%(amount)s for “%(event)s” is on its way back to you, the way you paid.")
        % {"amount": amount, "event": event}
    ]
    if body.get("is_owed"):
        lines.append(_("You were charged, but your seats could not be kept. We are sorry."))
    if body.get("fee"):
        fee = money(body["fee"], body["currency"])
        lines.append(_("Kept as the cancellation fee: %(fee)s") % {"fee": fee})
    lines.append(_("Your code: %(code)s") % {"code": body["reservation"]})
    return _("Your refund for “%(event)s”") % {"event": event}, lines


def _offered(body: dict[str, Any], person: User) -> Mail:
    hold = reservation_with_seats(Reservation.objects.get(code=body["reservation"]).pk)
    event = hold.reservation.event
    until = date_format(localtime(hold.reservation.deadline), "DATETIME_FORMAT")
    amount = money(hold.reservation.total, hold.reservation.currency)
    lines = [
        _("seats for “%(event)s” came back, and you are next on the standby list.")
        % {"event": event},
        _("Seats: %(seats)s") % {"seats": ", ".join(map(_seat, hold.seats))},
        _("Price: %(amount)s") % {"amount": amount},
        _("They are kept for you until %(until)s. Pay by then in your basket on the event’s page.")
        % {"until": until},
        _("Without payment they go to the next on the list."),
    ]
    return _("Seats for you: “%(event)s”") % {"event": event}, lines


def _seat(seat: dict[str, Any]) -> str:
    place = {"section": seat["section"], "row": seat["row"], "number": seat["number"]}
    if seat["row"]:
        return _("%(section)s, row %(row)s, seat %(number)s") % place
    return _("%(section)s, place %(number)s") % place


MAILS: dict[str, Callable[[dict[str, Any], User], Mail]] = {
    "ReservationConfirmed": _confirmed,
    "Refunded": _refunded,
    "SeatsOffered": _offered,
}
