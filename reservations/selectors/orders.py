"""Orders of any people, many at once: for the mails about them."""

from collections.abc import Collection
from dataclasses import dataclass, field

from django.db.models import Prefetch

from reservations.models import Reservation, ReservedSeat, Ticket
from ticketing.events.models import Event


@dataclass(frozen=True)
class Order:
    """A reservation with its seats, and its tickets as long as they are live."""

    reservation: Reservation
    seats: list[ReservedSeat] = field(default_factory=list)
    tickets: list[Ticket] = field(default_factory=list)


def orders_by_code(codes: Collection[str]) -> dict[str, Order]:
    """The orders that exist, in four statements. Those of one event share its object."""
    events = Prefetch("event", queryset=Event.objects.select_related("plan__venue"))
    reservations = Reservation.objects.filter(code__in=codes).prefetch_related(events)
    orders = {reservation.pk: Order(reservation) for reservation in reservations}
    reserved = ReservedSeat.objects.filter(reservation__in=orders).order_by("seat_id")
    seats = {}
    for row in reserved.select_related("seat__place__section", "seat__grade"):
        orders[row.reservation_id].seats.append(row)
        seats[row.seat_id] = row.seat
    tickets = Ticket.objects.filter(reservation__in=orders, state__in=Ticket.LIVE)
    for ticket in tickets.order_by("seat_id"):
        order = orders[ticket.reservation_id]
        ticket.reservation, ticket.event = order.reservation, order.reservation.event
        ticket.seat = seats[ticket.seat_id]
        order.tickets.append(ticket)
    return {order.reservation.code: order for order in orders.values()}
