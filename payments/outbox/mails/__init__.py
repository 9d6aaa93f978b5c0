"""Turns outbox messages into mails, in the reader's language."""

from typing import Any

from django.conf import settings
from django.utils import translation

from payments.models import Payment
from payments.outbox.mails import orders, standby, tickets
from payments.outbox.mails.message import EventMessage, OrderMessage
from reservations.models import Reservation
from ticketing.accounts.models import User
from ticketing.core import mails
from ticketing.events.models import Event

ORDER_MAILS = orders.MAILS | tickets.MAILS
EVENT_MAILS = standby.MAILS


def send_about(kind: str, body: dict[str, Any], *, name: str) -> None:
    """Send the mail for a message, if its kind has one. Repeats have the same `name`."""
    if kind not in ORDER_MAILS and kind not in EVENT_MAILS:
        return
    to, recipient = _recipient(body)
    with translation.override(_language(body)):
        if mail := _mail(kind, body):
            mails.send(mail, to=to, recipient=recipient, name=name)


def _mail(kind: str, body: dict[str, Any]) -> mails.Mail | None:
    if kind in EVENT_MAILS:
        event = Event.objects.select_related("plan__venue").get(pk=body["event"])
        return EVENT_MAILS[kind](EventMessage(body, event))
    reservations = Reservation.objects.select_related("event__plan__venue")
    reservation = reservations.get(code=body["reservation"])
    return ORDER_MAILS[kind](OrderMessage(body, reservation.event, reservation))


def _recipient(body: dict[str, Any]) -> tuple[str, str]:
    """Address and name; a ticket may be offered to somebody without an account."""
    lookup = {"pk": body["fan"]} if body["fan"] else {"email": body["email"]}
    person = User.objects.filter(**lookup).first()
    return (person.email, person.display_name) if person else (body["email"], body["email"])


def _language(body: dict[str, Any]) -> str:
    """The language of the request, or of the fan's last payment."""
    if language := body.get("language"):
        return str(language)
    last = Payment.objects.filter(fan=body["fan"] or None).exclude(language="").order_by("-pk")
    return last.values_list("language", flat=True).first() or settings.LANGUAGE_CODE
