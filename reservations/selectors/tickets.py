"""Tickets and transfer offers, found through their holder."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet

from reservations.errors import NoOffer, NoTicket
from reservations.models import Reservation, ReservedSeat, Ticket, TransferOffer
from reservations.tickets.calendar_file import calendar_file
from reservations.tickets.pdf import tickets_pdf
from ticketing.accounts.models import User
from ticketing.core.prepared_queries import PreparedQuery

RELATED = ("event__plan__venue", "seat__place__section", "seat__grade", "holder", "reservation")
# Tickets stay in the list for so long after the show began.
SHOWN_AFTER_START = timedelta(days=2)
File = tuple[str, bytes, str]  # name, content, content type


def own_ticket(*, code: str, fan_id: int) -> Ticket:
    found = _OWN_TICKET.first(code=code.upper(), fan=fan_id)
    if found is None:
        raise NoTicket()
    return found


def ticket_by_code(code: str) -> Ticket:
    """The ticket, whoever holds it, for mails."""
    return _tickets().get(code=code)


def own_tickets(*, fan_id: int, now: datetime) -> list[Ticket]:
    """The live tickets of shows that are not long over, the next show first."""
    return _SHOWN_TICKETS.all(fan=fan_id, after=now - SHOWN_AFTER_START)


def tickets_of_order(*, code: str, fan_id: int | None = None) -> list[Ticket]:
    """The live tickets of an order; with a fan, only those they still hold."""
    found = _TICKETS_OF_ORDER.all(code=code.upper())
    return [ticket for ticket in found if fan_id in (None, ticket.holder_id)]


def listed_tickets(order: Reservation) -> list[Ticket]:
    """The same as its owner's page lists them: only with their seats."""
    return _LISTED_TICKETS.all(order=order.pk, fan=order.fan_id)


def tickets_by_seat(order: Reservation) -> dict[int, Ticket]:
    """The live ticket of each seat, whoever holds it."""
    live = Ticket.objects.filter(reservation=order, state__in=Ticket.LIVE)
    return {ticket.seat_id: ticket for ticket in live}


def order_files(tickets: Sequence[Ticket], *, host: str, address: str, now: datetime) -> list[File]:
    """PDF and calendar file of an order's tickets, for its mail; none once they are void."""
    if not tickets:
        return []
    code = tickets[0].reservation.code
    entry = calendar_file(tickets[0], host=host, address=address, now=now)
    return [
        (f"tickets-{code}.pdf", tickets_pdf(tickets), "application/pdf"),
        (f"tickets-{code}.ics", entry.encode(), "text/calendar"),
    ]


def successor(ticket: Ticket) -> Ticket | None:
    """The live ticket that replaced this one, if the same person holds it."""
    same = {"seat_id": ticket.seat_id, "holder_id": ticket.holder_id}
    live = Ticket.objects.filter(**same, reservation=ticket.reservation_id, state__in=Ticket.LIVE)
    return live.exclude(pk=ticket.pk).first()


def open_offer(ticket: Ticket) -> TransferOffer | None:
    return _OPEN_OFFER.first(ticket=ticket.pk)


def open_offers_to(*, fan_id: int, now: datetime) -> list[TransferOffer]:
    return _OPEN_OFFERS.all(fan=fan_id, after=now)


def open_offer_to(code: str, fan_id: int) -> TransferOffer:
    found = _offers_to(fan_id).filter(code=code.upper()).select_related("ticket").first()
    if found is None:
        raise NoOffer()
    return found


def seats_counted(*, event_id: int, fan_id: int) -> int:
    """The seats that count against a person's limit, as `hold_seats.sql` counts them."""
    own = ReservedSeat.objects.filter(
        live=True, reservation__event_id=event_id, reservation__fan_id=fan_id
    )
    given = Ticket.objects.filter(event_id=event_id, holder_id=fan_id, state__in=Ticket.LIVE)
    return own.count() + given.exclude(reservation__fan_id=F("holder_id")).count()


def _tickets() -> QuerySet[Ticket]:
    return Ticket.objects.select_related(*RELATED)


def _offers_to(fan_id: Any) -> QuerySet[TransferOffer]:
    """Filtered by the fan's own address, so that nobody learns of another's offers."""
    addresses = User.objects.filter(pk=fan_id).values_list("email", flat=True)
    state = {"state": TransferOffer.State.OPEN, "ticket__state": Ticket.State.VALID}
    return TransferOffer.objects.filter(email__in=addresses, **state)


# Prepared, because many people look at their tickets in the same minutes.
_OWN_TICKET = PreparedQuery(
    lambda it: _tickets().filter(code=it("code"), holder_id=it("fan")).order_by()
)
_SHOWN_TICKETS = PreparedQuery(
    lambda it: (
        _tickets()
        .filter(holder_id=it("fan"), state__in=Ticket.LIVE, event__starts_at__gt=it("after"))
        .order_by("event__starts_at", "id")
    )
)
_TICKETS_OF_ORDER = PreparedQuery(
    lambda it: (
        _tickets().filter(reservation__code=it("code"), state__in=Ticket.LIVE).order_by("seat_id")
    )
)
_LISTED_TICKETS = PreparedQuery(
    lambda it: (
        Ticket.objects.filter(
            reservation_id=it("order"), holder_id=it("fan"), state__in=Ticket.LIVE
        )
        .select_related("seat__place__section")
        .order_by("seat_id")
    )
)
_OPEN_OFFER = PreparedQuery(
    lambda it: TransferOffer.objects.filter(ticket_id=it("ticket"), state=TransferOffer.State.OPEN)
)
_OPEN_OFFERS = PreparedQuery(
    lambda it: (
        _offers_to(it("fan"))
        .filter(ticket__event__starts_at__gt=it("after"))
        .select_related(*(f"ticket__{name}" for name in RELATED))
    )
)
