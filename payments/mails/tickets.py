"""Mails about tickets that change hands, names or codes."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from payments.mails.story import Story, show
from reservations.models import Ticket, TransferOffer
from reservations.selectors import seat_label
from ticketing.core.mails import Mail, link


def _offered(story: Story) -> Mail | None:
    """To whoever may have it, while they may."""
    offer = TransferOffer.objects.filter(code=story.body["offer"], state="open").first()
    if offer is None or story.ticket.state != Ticket.State.VALID:
        return None
    return _mail(
        story,
        "ticket_offered",
        _("A ticket for “%(event)s” is offered to you"),
        links=[(_("Look at the offer"), link("reservations:tickets"))],
        giver=story.body["giver"],
        email=offer.email,
    )


def _received(story: Story) -> Mail:
    links, now = _to_the_ticket(story), story.ticket.created_at
    files = story.files(address=links[0][1], now=now)
    subject = _("Your ticket for “%(event)s”")
    return _mail(story, "ticket_received", subject, links=links, files=files)


def _taken_back(story: Story) -> Mail:
    subject = _("A ticket for “%(event)s” is no longer offered to you")
    return _mail(story, "ticket_taken_back", subject, giver=story.body["giver"])


def _kept(story: Story) -> Mail:
    subject = _("You keep your ticket for “%(event)s”")
    return _about_an_offer(story, "ticket_kept", subject, links=_to_the_ticket(story))


def _declined(story: Story) -> Mail:
    subject = _("Your ticket for “%(event)s” was declined")
    return _about_an_offer(story, "ticket_declined", subject, links=_to_the_ticket(story))


def _accepted(story: Story) -> Mail:
    subject = _("Your ticket for “%(event)s” was accepted")
    return _about_an_offer(story, "ticket_accepted", subject)


def _renamed(story: Story) -> Mail:
    subject = _("Another name on your ticket for “%(event)s”")
    before = story.body["before"]
    return _mail(story, "ticket_renamed", subject, links=_to_the_ticket(story), before=before)


def _reissued(story: Story) -> Mail:
    subject = _("A new code for your ticket for “%(event)s”")
    return _mail(story, "ticket_reissued", subject, links=_to_the_ticket(story))


def _about_an_offer(story: Story, template: str, subject: str, **more: Any) -> Mail:
    return _mail(story, template, subject, receiver=story.body["receiver"], **more)


def _mail(
    story: Story,
    template: str,
    subject: str,
    *,
    links: list[tuple[str, str]] | None = None,
    files: list[tuple[str, bytes, str]] | None = None,
    **words: Any,
) -> Mail:
    ticket = story.ticket
    seat = [(_("Seat"), seat_label(ticket)), (_("Name on the ticket"), ticket.name)]
    return Mail(
        template,
        subject % {"event": story.event},
        {"event": story.event, "ticket": ticket, **words},
        facts=[*show(story), *seat],
        links=links or [],
        files=files or [],
    )


def _to_the_ticket(story: Story) -> list[tuple[str, str]]:
    return [(_("To your ticket"), link("reservations:ticket", story.ticket.code))]


MAILS: dict[str, Callable[[Story], Mail | None]] = {
    "TicketOffered": _offered,
    "TicketReceived": _received,
    "TicketTakenBack": _taken_back,
    "TicketKept": _kept,
    "TicketDeclined": _declined,
    "TicketAccepted": _accepted,
    "TicketRenamed": _renamed,
    "TicketReissued": _reissued,
}
