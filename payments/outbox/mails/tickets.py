"""Mails about tickets that change hands, names or codes."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from payments.outbox.mails.message import OrderMessage, event_facts
from reservations.models import Ticket, TransferOffer
from reservations.selectors import seat_label
from ticketing.core.mails import Mail, link


def _offered(message: OrderMessage) -> Mail | None:
    """None if the offer is no longer open."""
    offer = TransferOffer.objects.filter(code=message.body["offer"], state="open").first()
    if offer is None or message.ticket.state != Ticket.State.VALID:
        return None
    return _mail(
        message,
        "ticket_offered",
        _("A ticket for “%(event)s” is offered to you"),
        links=[(_("Look at the offer"), link("reservations:tickets"))],
        giver=message.body["giver"],
        email=offer.email,
    )


def _received(message: OrderMessage) -> Mail:
    links, now = _ticket_link(message), message.ticket.created_at
    files = message.files(address=links[0][1], now=now)
    subject = _("Your ticket for “%(event)s”")
    return _mail(message, "ticket_received", subject, links=links, files=files)


def _taken_back(message: OrderMessage) -> Mail:
    subject = _("A ticket for “%(event)s” is no longer offered to you")
    return _mail(message, "ticket_taken_back", subject, giver=message.body["giver"])


def _kept(message: OrderMessage) -> Mail:
    subject = _("You keep your ticket for “%(event)s”")
    return _offer_mail(message, "ticket_kept", subject, links=_ticket_link(message))


def _declined(message: OrderMessage) -> Mail:
    subject = _("Your ticket for “%(event)s” was declined")
    return _offer_mail(message, "ticket_declined", subject, links=_ticket_link(message))


def _accepted(message: OrderMessage) -> Mail:
    subject = _("Your ticket for “%(event)s” was accepted")
    return _offer_mail(message, "ticket_accepted", subject)


def _renamed(message: OrderMessage) -> Mail:
    subject = _("Another name on your ticket for “%(event)s”")
    before = message.body["before"]
    return _mail(message, "ticket_renamed", subject, links=_ticket_link(message), before=before)


def _reissued(message: OrderMessage) -> Mail:
    subject = _("A new code for your ticket for “%(event)s”")
    return _mail(message, "ticket_reissued", subject, links=_ticket_link(message))


def _offer_mail(message: OrderMessage, template: str, subject: str, **context: Any) -> Mail:
    return _mail(message, template, subject, receiver=message.body["receiver"], **context)


def _mail(
    message: OrderMessage,
    template: str,
    subject: str,
    *,
    links: list[tuple[str, str]] | None = None,
    files: list[tuple[str, bytes, str]] | None = None,
    **context: Any,
) -> Mail:
    ticket = message.ticket
    seat = [(_("Seat"), seat_label(ticket)), (_("Name on the ticket"), ticket.name)]
    return Mail(
        template,
        subject % {"event": message.event},
        {"event": message.event, "ticket": ticket, **context},
        facts=[*event_facts(message), *seat],
        links=links or [],
        files=files or [],
    )


def _ticket_link(message: OrderMessage) -> list[tuple[str, str]]:
    return [(_("To your ticket"), link("reservations:ticket", message.ticket.code))]


MAILS: dict[str, Callable[[OrderMessage], Mail | None]] = {
    "TicketOffered": _offered,
    "TicketReceived": _received,
    "TicketTakenBack": _taken_back,
    "TicketKept": _kept,
    "TicketDeclined": _declined,
    "TicketAccepted": _accepted,
    "TicketRenamed": _renamed,
    "TicketReissued": _reissued,
}
