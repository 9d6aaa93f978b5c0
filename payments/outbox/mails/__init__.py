"""Turns outbox messages into mails, in the reader's language."""

from typing import Any

from django.conf import settings
from django.utils import translation

from payments.models import OutboxMessage, Payment
from payments.outbox.mails import orders, standby, tickets
from payments.outbox.mails.message import EventMessage, OrderMessage, Related, load_related
from ticketing.accounts.models import User
from ticketing.core import mails
from ticketing.events.models import Event

ORDER_MAILS = orders.MAILS | tickets.MAILS
EVENT_MAILS = standby.MAILS


def send_about(message: OutboxMessage, related: Related, connection: mails.MailConnection) -> None:
    """Send the mail for a message, if its kind has one. Repeats have the same Message-ID."""
    kind, body = message.kind, message.body
    if kind not in ORDER_MAILS and kind not in EVENT_MAILS:
        return
    if body["fan"]:
        person = related.people.get(body["fan"])
    else:
        person = User.objects.filter(email=body["email"]).first()
    # A ticket may be offered to somebody without an account.
    to = person.email if person else body["email"]
    recipient = person.display_name if person else to
    name = f"{message.aggregate}-{message.sequence}"
    with translation.override(_language(body)):
        if mail := _mail(kind, body, related):
            mails.send(mail, to=to, recipient=recipient, name=name, connection=connection)


def _mail(kind: str, body: dict[str, Any], related: Related) -> mails.Mail | None:
    if kind in EVENT_MAILS:
        event = Event.objects.select_related("plan__venue").get(pk=body["event"])
        return EVENT_MAILS[kind](EventMessage(body, event))
    order = related.orders[body["reservation"]]
    message = OrderMessage(body, order.reservation.event, order, related.payments)
    return ORDER_MAILS[kind](message)


def _language(body: dict[str, Any]) -> str:
    """The language of the request, or of the fan's last payment."""
    if language := body.get("language"):
        return str(language)
    last = Payment.objects.filter(fan=body["fan"] or None).exclude(language="").order_by("-pk")
    return last.values_list("language", flat=True).first() or settings.LANGUAGE_CODE
