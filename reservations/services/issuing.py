"""Tickets come with the order and end with it. The order's lock is held by whoever calls."""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction

from reservations import locks
from reservations.errors import HandedOver, TicketUsed
from reservations.locks import live_tickets_of_reservation_for_update, reservation_for_update
from reservations.models import Reservation, Ticket, TicketChange, new_code
from ticketing.accounts.models import User

State = Ticket.State
What = TicketChange.What


def issue(*, reservation: Reservation, seats: Collection[int], now: datetime) -> None:
    """One for each seat, in the transaction that sells them."""
    locks.issue_tickets(reservation=reservation, codes=[new_code() for _ in seats], now=now)


def issue_missing(*, now: datetime) -> int:
    """For orders that an older release sold after the migration; how many there were."""
    without = Reservation.objects.filter(state=Reservation.State.CONFIRMED, tickets=None)
    return sum(_issue_if_missing(code, now) for code in without.values_list("code", flat=True))


@transaction.atomic
def _issue_if_missing(code: str, now: datetime) -> bool:
    reservation = reservation_for_update(code)
    is_sold = reservation.state == Reservation.State.CONFIRMED
    if not is_sold or reservation.tickets.exists():
        return False
    seats = list(reservation.seats.values_list("seat_id", flat=True))
    issue(reservation=reservation, seats=seats, now=now)
    return True


@transaction.atomic
def set_tickets_aside(*, code: str, now: datetime, for_fan: bool = False) -> None:
    """Money is about to go back: from here on nobody walks in with these.

    A fan can't take back what was given to others; an operator can.
    """
    reservation = reservation_for_update(code)
    tickets = _unused(reservation)
    if for_fan and any(ticket.holder_id != reservation.fan_id for ticket in tickets):
        raise HandedOver()
    valid = [ticket for ticket in tickets if ticket.state == State.VALID]
    _move(valid, State.REFUNDING, What.SET_ASIDE, now)


@transaction.atomic
def give_tickets_back(*, code: str, now: datetime) -> None:
    """The money stays with us after all."""
    tickets = live_tickets_of_reservation_for_update(reservation_for_update(code))
    aside = [ticket for ticket in tickets if ticket.state == State.REFUNDING]
    _move(aside, State.VALID, What.GIVEN_BACK, now)


def void_tickets(reservation: Reservation, reason: Ticket.Reason, now: datetime) -> None:
    """The order is over; what was used can't be taken back."""
    _move(_unused(reservation), State.VOID, What.VOIDED, now, reason=reason)


def is_used(*, code: str) -> bool:
    """Whether anybody has walked in with one of these; as it is, it stays until the commit."""
    tickets = live_tickets_of_reservation_for_update(reservation_for_update(code))
    return any(ticket.state == State.USED for ticket in tickets)


def note_change(
    ticket: Ticket, what: What, *, now: datetime, by: User | int | None = None, **words: str
) -> None:
    who = by.pk if isinstance(by, User) else by
    words = {name: text[:200] for name, text in words.items()}
    TicketChange.objects.create(ticket=ticket, what=what, at=now, by_id=who, **words)


def _unused(reservation: Reservation) -> list[Ticket]:
    tickets = live_tickets_of_reservation_for_update(reservation)
    if any(ticket.state == State.USED for ticket in tickets):
        raise TicketUsed()
    return tickets


def _move(
    tickets: Iterable[Ticket], to: State, what: What, now: datetime, reason: str = ""
) -> None:
    changes = []
    for ticket in tickets:
        changes.append(
            TicketChange(ticket=ticket, what=what, at=now, before=ticket.state, after=to)
        )
        ticket.move_to(to)
        ticket.reason, ticket.ended_at = reason, now if to == State.VOID else None
    Ticket.objects.bulk_update(
        [change.ticket for change in changes], ["state", "reason", "ended_at"]
    )
    TicketChange.objects.bulk_create(changes)
