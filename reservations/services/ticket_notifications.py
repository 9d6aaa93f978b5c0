"""Notifies people of changes to their tickets, inside the transaction that makes the change."""

from datetime import datetime
from typing import Any

from reservations.models import Ticket, TransferOffer
from reservations.services.signals import ticket_notification


def notify_holder(
    kind: str, ticket: Ticket, *, language: str, now: datetime, **details: Any
) -> None:
    """An empty `language` (a change by an operator) means the holder's own."""
    _send(kind, ticket, to=ticket.holder_id, language=language, now=now, **details)


def notify_receiver(kind: str, offer: TransferOffer, *, now: datetime) -> None:
    """By e-mail address: the receiver need not have an account yet."""
    details: Any = {"offer": offer.code, "giver": offer.ticket.holder.display_name}
    address: Any = {"to": 0, "email": offer.email, "language": offer.language}
    _send(kind, offer.ticket, now=now, **address, **details)


def notify_giver(kind: str, offer: TransferOffer, *, now: datetime) -> None:
    address: Any = {"to": offer.ticket.holder_id, "language": offer.language}
    _send(kind, offer.ticket, now=now, **address, receiver=offer.email)


def _send(
    kind: str,
    ticket: Ticket,
    *,
    to: int,
    language: str,
    now: datetime,
    email: str = "",
    **details: Any,
) -> None:
    address: Any = {"to": to, "email": email, "language": language}
    ticket_notification.send(Ticket, kind=kind, ticket=ticket, **address, now=now, details=details)
