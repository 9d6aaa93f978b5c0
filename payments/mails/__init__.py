"""What people read in their mail about money, seats and tickets, in their own language."""

from typing import Any

from django.conf import settings
from django.utils import translation

from payments.mails import orders, standby, tickets
from payments.mails.story import Notice, Story
from payments.models import Payment
from reservations.models import Reservation
from ticketing.accounts.models import User
from ticketing.core import mails
from ticketing.events.models import Event

MAILS = orders.MAILS | tickets.MAILS
NOTICES = standby.NOTICES


def send_about(kind: str, body: dict[str, Any], *, name: str) -> None:
    """The same message has the same name, so that a mail program shows a repeat once."""
    if kind not in MAILS and kind not in NOTICES:
        return
    to, who = _addressee(body)
    with translation.override(_language(body)):
        if mail := _written(kind, body):
            mails.send(mail, to=to, who=who, name=name)


def _written(kind: str, body: dict[str, Any]) -> mails.Mail | None:
    if kind in NOTICES:
        event = Event.objects.select_related("plan__venue").get(pk=body["event"])
        return NOTICES[kind](Notice(body, event))
    found = Reservation.objects.select_related("event__plan__venue").get(code=body["reservation"])
    return MAILS[kind](Story(body, found.event, found))


def _addressee(body: dict[str, Any]) -> tuple[str, str]:
    """Where a ticket is offered to, there need not be an account yet."""
    whose = {"pk": body["fan"]} if body["fan"] else {"email": body["email"]}
    person = User.objects.filter(**whose).first()
    return (person.email, person.display_name) if person else (body["email"], body["email"])


def _language(body: dict[str, Any]) -> str:
    """What they asked in, or else what they last paid in."""
    if told := body.get("language"):
        return str(told)
    last = Payment.objects.filter(fan=body["fan"] or None).exclude(language="").order_by("-pk")
    return last.values_list("language", flat=True).first() or settings.LANGUAGE_CODE
