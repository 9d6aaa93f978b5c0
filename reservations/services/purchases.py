"""What payments do to reservations. Each step is idempotent."""

import asyncio
from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from reservations import locks
from reservations.errors import BlockedFromBuying, HoldExpired, NoReservation, NotOnSale
from reservations.locks import reservation_for_update, seats_of_reservation_for_update
from reservations.models import CancelledSeat, Reservation, ReservedSeat, Ticket
from reservations.services.releases import end_reservation
from reservations.services.seat_updates import (
    acomplete_queue_pass,
    apublish_held,
    apublish_sold,
    complete_queue_pass,
    publish_held,
    publish_returned,
    publish_sold,
)
from reservations.services.tickets import void_tickets
from ticketing.core.sql import instance

State = Reservation.State


def extend_for_payment(*, code: str, fan_id: int, now: datetime) -> Reservation:
    """Start a payment: extend the deadline, and stop the hold from expiring until it is settled."""
    row = locks.extend_for_payment(code=code, fan_id=fan_id, now=now)
    if row is None:
        raise NoReservation()
    reservation = instance(Reservation, row)
    require_payable(reservation, row["status"])
    if row["status"] == "extended":
        reservation.state, reservation.deadline = State.PAYING, row["extended_to"]
        publish_extension(reservation, row["seats"])
    return reservation


def require_payable(reservation: Reservation, status: str) -> None:
    """Raise what `extend_hold.sql` found against paying for this reservation."""
    match status:
        case "expired":
            raise HoldExpired()
        case "cancelled":
            raise NotOnSale()
        case "blocked":
            raise BlockedFromBuying()
        case "ended":
            reservation.move_to(State.PAYING)


def publish_extension(reservation: Reservation, seats: Collection[int]) -> None:
    """After the commit of a statement with `extension_sql`."""
    publish_held(**_whose(reservation), seats=seats, until=reservation.deadline, are_new=False)


async def apublish_extension(reservation: Reservation, seats: Collection[int]) -> None:
    """The same for coroutines."""
    whose = _whose(reservation)
    await apublish_held(**whose, seats=seats, until=reservation.deadline, are_new=False)


def lock_for_payment(*, code: str) -> Reservation:
    """Lock the reservation, as everybody who settles its payment does first."""
    return reservation_for_update(code)


@transaction.atomic(savepoint=False)
def resume_hold(*, code: str, now: datetime) -> Reservation:
    """Nothing was charged: the fan may pay again in the time that is left."""
    reservation = reservation_for_update(code)
    if reservation.state != State.HELD:
        reservation.move_to(State.HELD)
        reservation.save(update_fields=["state"])
    return reservation


def confirm(*, code: str, now: datetime) -> Reservation:
    """Paid: sell the seats, issue the tickets and give the fan's place inside to the next."""
    row = locks.confirm_reservation(code=code, now=now)
    if row is None:
        raise NoReservation()
    reservation = instance(Reservation, row)
    if reservation.state != State.CONFIRMED:
        reservation.move_to(State.CONFIRMED)
        publish_sale(reservation, row["seats"], now=now)
    return reservation


def publish_sale(reservation: Reservation, seats: Collection[int], *, now: datetime) -> None:
    """After the commit of a statement with `sale_sql`."""
    publish_sold(**_whose(reservation), seats=seats, now=now)
    complete_queue_pass(**_whose(reservation), seats=len(seats), now=now)


async def apublish_sale(reservation: Reservation, seats: Collection[int], *, now: datetime) -> None:
    """The same for coroutines, in one round trip."""
    await asyncio.gather(
        apublish_sold(**_whose(reservation), seats=seats, now=now),
        acomplete_queue_pass(**_whose(reservation), seats=len(seats), now=now),
    )


@transaction.atomic(savepoint=False)
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


@transaction.atomic
def cancel_seats(*, code: str, seats: Collection[int], now: datetime) -> Reservation:
    """The money for some seats was refunded: void their tickets and return them; the rest stays.

    Their rows move to `CancelledSeat`, so that nothing counts or returns them again with the order.
    """
    reservation = reservation_for_update(code)
    locked = [seat.pk for seat in seats_of_reservation_for_update(reservation, seats)]
    if not locked or reservation.state != State.CONFIRMED:
        return reservation
    void_tickets(reservation, Ticket.Reason.REFUNDED, now, locked)
    rows = ReservedSeat.objects.filter(reservation=reservation, seat__in=locked)
    CancelledSeat.objects.bulk_create(
        CancelledSeat(
            reservation=reservation, seat_id=it.seat_id, grade=it.grade, price=it.price, at=now
        )
        for it in rows
    )
    rows.delete()
    kept = locks.return_seats(event_id=reservation.event_id, seats=locked, now=now)
    publish_returned(**_whose(reservation), seats=locked, now=now, kept=kept)
    return reservation


def _whose(reservation: Reservation) -> dict[str, int]:
    return {"event_id": reservation.event_id, "fan_id": reservation.fan_id}
