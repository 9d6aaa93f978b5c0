"""Tickets and transfer offers, found through their holder."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import F, QuerySet

from reservations.errors import NoOffer, NoTicket
from reservations.models import ReservedSeat, Ticket, TransferOffer
from reservations.tickets.calendar_file import calendar_file
from reservations.tickets.pdf import tickets_pdf
from ticketing.accounts.models import User

RELATED = ("event__plan__venue", "seat__place__section", "seat__grade", "holder", "reservation")
# Tickets stay in the list for so long after the show began.
SHOWN_AFTER_START = timedelta(days=2)
File = tuple[str, bytes, str]  # name, content, content type


def own_ticket(*, code: str, fan_id: int) -> Ticket:
    found = _tickets().filter(code=code.upper(), holder_id=fan_id).first()
    if found is None:
        raise NoTicket()
    return found


def ticket_by_code(code: str) -> Ticket:
    """Whoever holds it, for mails."""
    return _tickets().get(code=code)


def own_tickets(*, fan_id: int, now: datetime) -> list[Ticket]:
    """The live tickets of shows that are not long over, the next show first."""
    mine = _tickets().filter(holder_id=fan_id, state__in=Ticket.LIVE)
    shown = mine.filter(event__starts_at__gt=now - SHOWN_AFTER_START)
    return list(shown.order_by("event__starts_at", "id"))


def tickets_of_order(*, code: str, fan_id: int | None = None) -> list[Ticket]:
    """The live tickets of an order; with a fan, only those they still hold."""
    whose = {} if fan_id is None else {"holder_id": fan_id}
    live = _tickets().filter(reservation__code=code.upper(), state__in=Ticket.LIVE, **whose)
    return list(live.order_by("seat_id"))


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
    return ticket.offers.filter(state=TransferOffer.State.OPEN).first()


def open_offers_to(*, fan_id: int, now: datetime) -> list[TransferOffer]:
    offers = _offers_to(fan_id).filter(ticket__event__starts_at__gt=now)
    return list(offers.select_related(*(f"ticket__{name}" for name in RELATED)))


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


def _offers_to(fan_id: int) -> QuerySet[TransferOffer]:
    """Filtered by the fan's own address, so that nobody learns of another's offers."""
    addresses = User.objects.filter(pk=fan_id).values_list("email", flat=True)
    state = {"state": TransferOffer.State.OPEN, "ticket__state": Ticket.State.VALID}
    return TransferOffer.objects.filter(email__in=addresses, **state)
