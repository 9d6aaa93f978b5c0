"""Tickets are issued with the order and end with it."""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction

from reservations import locks
from reservations.errors import TicketNotValid, TicketTransferred, TicketUsed
from reservations.locks import live_tickets_of_reservation_for_update, reservation_for_update
from reservations.models import Reservation, Ticket, TicketChange
from ticketing.accounts.models import User

State = Ticket.State
What = TicketChange.What


def issue_missing_tickets(*, now: datetime) -> int:
    """For paid orders that have no tickets; how many there were."""
    without = Reservation.objects.filter(state=Reservation.State.CONFIRMED, tickets=None)
    return sum(_issue_if_missing(code, now) for code in without.values_list("code", flat=True))


@transaction.atomic
def _issue_if_missing(code: str, now: datetime) -> bool:
    reservation = reservation_for_update(code)
    is_sold = reservation.state == Reservation.State.CONFIRMED
    if not is_sold or reservation.tickets.exists():
        return False
    locks.issue_tickets(reservation=reservation, now=now)
    return True


@transaction.atomic
def suspend_tickets(
    *, code: str, now: datetime, seats: Collection[int] = (), for_fan: bool = False
) -> None:
    """Suspend the tickets of an order, or of some of its seats, before their refund.

    They let nobody in from now on. A fan cannot refund tickets that were transferred to others; an
    operator can.
    """
    reservation = reservation_for_update(code)
    tickets = _unused(reservation, seats)
    if seats and {ticket.seat_id for ticket in tickets} != set(seats):
        raise TicketNotValid()
    if for_fan and any(ticket.holder_id != reservation.fan_id for ticket in tickets):
        raise TicketTransferred()
    valid = [ticket for ticket in tickets if ticket.state == State.VALID]
    _move(valid, State.REFUNDING, What.SET_ASIDE, now)


@transaction.atomic
def restore_tickets(*, code: str, now: datetime) -> None:
    """Make suspended tickets valid again: the refund was refused."""
    tickets = live_tickets_of_reservation_for_update(reservation_for_update(code))
    suspended = [ticket for ticket in tickets if ticket.state == State.REFUNDING]
    _move(suspended, State.VALID, What.GIVEN_BACK, now)


def void_tickets(
    reservation: Reservation, reason: Ticket.Reason, now: datetime, seats: Collection[int] = ()
) -> None:
    """Void every ticket of a locked order, or of these seats; refused if one was used."""
    _move(_unused(reservation, seats), State.VOID, What.VOIDED, now, reason=reason)


def has_used_tickets(*, code: str) -> bool:
    """Whether a ticket of the order was used; locked, so it stays so until the commit."""
    tickets = live_tickets_of_reservation_for_update(reservation_for_update(code))
    return any(ticket.state == State.USED for ticket in tickets)


def record_change(
    ticket: Ticket, what: What, *, now: datetime, by: User | int | None = None, **values: str
) -> None:
    """Write a row of the ticket's history."""
    who = by.pk if isinstance(by, User) else by
    values = {name: text[:200] for name, text in values.items()}
    TicketChange.objects.create(ticket=ticket, what=what, at=now, by_id=who, **values)


def _unused(reservation: Reservation, seats: Collection[int] = ()) -> list[Ticket]:
    """Of these seats, or of all; all of the order are locked."""
    tickets = live_tickets_of_reservation_for_update(reservation)
    tickets = [ticket for ticket in tickets if not seats or ticket.seat_id in seats]
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
