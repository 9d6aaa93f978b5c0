"""What people are to hear of their tickets; said inside the transaction that does it."""

from datetime import datetime
from typing import Any

from reservations.models import Ticket, TransferOffer
from reservations.signals import ticket_news


def tell_holder(kind: str, ticket: Ticket, *, language: str, now: datetime, **words: Any) -> None:
    """By an operator it may be another's language: then whoever writes the mail looks it up."""
    _send(kind, ticket, to=ticket.holder_id, language=language, now=now, **words)


def tell_receiver(kind: str, offer: TransferOffer, *, now: datetime) -> None:
    """Nobody need have an account there yet."""
    words: Any = {"offer": offer.code, "giver": offer.ticket.holder.display_name}
    told: Any = {"email": offer.email, "language": offer.language, "now": now}
    _send(kind, offer.ticket, to=0, **told, **words)


def tell_giver(kind: str, offer: TransferOffer, *, now: datetime) -> None:
    told: Any = {"language": offer.language, "now": now, "receiver": offer.email}
    _send(kind, offer.ticket, to=offer.ticket.holder_id, **told)


def _send(
    kind: str,
    ticket: Ticket,
    *,
    to: int,
    language: str,
    now: datetime,
    email: str = "",
    **words: Any,
) -> None:
    whom: Any = {"to": to, "email": email, "language": language}
    ticket_news.send(Ticket, kind=kind, ticket=ticket, **whom, now=now, words=words)
