"""What payments do to reservations. Each step is idempotent."""

from datetime import datetime, timedelta

from django.db import transaction

from reservations.errors import NotOnSale
from reservations.locks import reservation_for_update, seats_of_reservation_for_update
from reservations.models import Reservation, StandbyEntry, Ticket
from reservations.services.releases import end_reservation, require_not_expired
from reservations.services.seat_updates import complete_queue_pass, publish_held, publish_sold
from reservations.services.tickets import issue_tickets, void_tickets
from ticketing.events.models import Event, Seat

State = Reservation.State


@transaction.atomic
def extend_for_payment(*, code: str, fan_id: int, now: datetime) -> Reservation:
    """Start a payment: extend the deadline, and stop the hold from expiring until it is settled.

    The deadline never exceeds the hold time and the payment time together.
    """
    reservation = reservation_for_update(code, fan_id=fan_id)
    if reservation.state == State.PAYING:
        return reservation
    require_not_expired(reservation, now)
    if reservation.event.state == Event.State.CANCELLED:
        raise NotOnSale()
    reservation.move_to(State.PAYING)
    reservation.deadline = max(reservation.deadline, _payment_deadline(reservation, now))
    reservation.save(update_fields=["state", "deadline"])
    seats = list(reservation.seats.values_list("seat_id", flat=True))
    publish_held(**_whose(reservation), seats=seats, until=reservation.deadline, are_new=False)
    return reservation


def lock_for_payment(*, code: str) -> Reservation:
    """Lock the reservation, as everybody who settles its payment does first."""
    return reservation_for_update(code)


@transaction.atomic
def resume_hold(*, code: str, now: datetime) -> Reservation:
    """Nothing was charged: the fan may pay again in the time that is left."""
    reservation = reservation_for_update(code)
    if reservation.state != State.HELD:
        reservation.move_to(State.HELD)
        reservation.save(update_fields=["state"])
    return reservation


@transaction.atomic
def confirm(*, code: str, now: datetime) -> Reservation:
    """Paid: sell the seats, issue the tickets and give the fan's place inside to the next."""
    reservation = reservation_for_update(code)
    if reservation.state == State.CONFIRMED:
        return reservation
    reservation.move_to(State.CONFIRMED)
    reservation.save(update_fields=["state"])
    seats = [seat.pk for seat in seats_of_reservation_for_update(reservation)]
    Seat.objects.filter(pk__in=seats).update(state=Seat.State.SOLD)
    issue_tickets(reservation=reservation, seats=seats, now=now)
    publish_sold(**_whose(reservation), seats=seats, now=now)
    complete_queue_pass(**_whose(reservation), now=now)
    return reservation


@transaction.atomic
def cancel(*, code: str, now: datetime) -> Reservation:
    """The payment failed for good: the seats go back on sale."""
    reservation = reservation_for_update(code)
    if reservation.state == State.CANCELLED:
        return reservation
    return end_reservation(reservation, to=State.CANCELLED, now=now)


@transaction.atomic
def refund(*, code: str, now: datetime) -> Reservation:
    """The money was refunded: void the tickets and return the seats."""
    reservation = reservation_for_update(code)
    if reservation.state == State.REFUNDED:
        return reservation
    void_tickets(reservation, Ticket.Reason.REFUNDED, now)
    return end_reservation(reservation, to=State.REFUNDED, now=now)


def _payment_deadline(reservation: Reservation, now: datetime) -> datetime:
    event = reservation.event
    is_offer = StandbyEntry.objects.filter(reservation=reservation).exists()
    hold_seconds = event.offer_seconds if is_offer else event.hold_seconds
    longest = timedelta(seconds=hold_seconds + event.payment_seconds)
    return min(now + timedelta(seconds=event.payment_seconds), reservation.created_at + longest)


def _whose(reservation: Reservation) -> dict[str, int]:
    return {"event_id": reservation.event_id, "fan_id": reservation.fan_id}
