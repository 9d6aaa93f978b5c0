"""Seats go back: given back by the fan or an operator, or because their time is up."""

from datetime import datetime

from django.db import transaction

from reservations import errors, locks, selectors
from reservations.locks import reservation_for_update, seats_of_reservation_for_update
from reservations.models import Reservation, ReservationChange
from reservations.services.telling import tell_returned
from ticketing.accounts.models import User
from waiting_queue import services as queue

State = Reservation.State
ENDED = frozenset({State.RELEASED, State.EXPIRED})
BATCH = 200
# How many batches one call does: the next one comes in a few seconds.
BATCHES = 50


@transaction.atomic
def release(*, event_id: int, code: str, fan_id: int, now: datetime) -> Reservation:
    """The fan gives the seats back. Twice is fine."""
    reservation = reservation_for_update(code.upper(), event_id=event_id, fan_id=fan_id)
    if reservation.state in ENDED:
        return reservation
    return end(reservation, to=State.RELEASED, now=now)


@transaction.atomic
def release_by_operator(*, code: str, by: User | None, why: str, now: datetime) -> Reservation:
    """An operator takes held seats back, and says why."""
    reservation = reservation_for_update(code)
    before = reservation.state
    end(reservation, to=State.RELEASED, now=now)
    ReservationChange.objects.create(
        reservation=reservation, at=now, by=by, before=before, after=State.RELEASED, why=why[:200]
    )
    return reservation


def leave(*, event_id: int, fan_id: int, now: datetime) -> int:
    """The fan gives everything back that is not paid for, and leaves the queue."""
    held = selectors.own_reservations_in(event_id, fan_id, [State.HELD])
    codes = list(held.order_by("pk").values_list("code", flat=True))
    for code in codes:
        release(event_id=event_id, code=code, fan_id=fan_id, now=now)
    queue.leave(event_id=event_id, person=str(fan_id), now=now)
    return len(codes)


def release_holds_of_the_gone(*, now: datetime) -> int:
    """Who leaves the line gives back what they hold, whichever way they leave it."""
    gone = selectors.holds_of_the_gone().values_list("event_id", "code", "fan_id")[:BATCH]
    for event_id, code, fan_id in gone:
        release(event_id=event_id, code=code, fan_id=fan_id, now=now)
    return len(gone)


def expire_holds(*, now: datetime, batch: int = BATCH) -> int:
    """End every hold whose time is up, in batches; many at once share the work."""
    count = 0
    for _ in range(BATCHES):
        ended = locks.expire(now=now, batch=batch)
        for it in ended:
            tell_ended(it, now=now)
        count += len(ended)
        if len(ended) < batch:
            break
    return count


def end(reservation: Reservation, *, to: State, now: datetime) -> Reservation:
    """Move a reservation, whose lock is held, to its end; its seats are free or kept for others."""
    reservation.move_to(to)
    seats = [seat.pk for seat in seats_of_reservation_for_update(reservation)]
    reservation.ended_at = now
    reservation.save(update_fields=["state", "ended_at"])
    kept = locks.return_seats(event_id=reservation.event_id, seats=seats, now=now)
    whose = {"event_id": reservation.event_id, "fan_id": reservation.fan_id}
    tell_returned(**whose, seats=seats, now=now, kept=kept)
    return reservation


def tell_ended(it: locks.Ended, *, now: datetime) -> None:
    whose = {"event_id": it.event_id, "fan_id": it.fan_id}
    tell_returned(**whose, seats=it.seats, now=now, kept=it.kept)


def require_in_time(reservation: Reservation, now: datetime) -> None:
    if reservation.is_overdue(now):
        raise errors.HoldOver()
