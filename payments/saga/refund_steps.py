"""The transactions of a refund."""

from collections.abc import Sequence
from datetime import datetime
from uuid import uuid4

from django.db import transaction

from payments import locks, outbox
from payments.models import Payment, Refund
from payments.saga.schedule import LEASE
from reservations import services as reservations
from reservations.models import Reservation

State = Payment.State
REFUNDED_AT_GATEWAY = "refunded at the gateway"


@transaction.atomic
def begin(
    payment: Payment,
    amount: int,
    *,
    why: str,
    now: datetime,
    by: int | None = None,
    fee: int = 0,
    frees_seats: bool,
    seats: Sequence[int] = (),
    for_fan: bool = False,
) -> Payment | None:
    """Committed before the gateway is called, and retried until the gateway has answered.

    None if the payment has moved, or less is left than when the amount was decided. From now on
    the tickets, or those of `seats`, don't admit anybody; a used one raises here.
    """
    reservations.lock_for_payment(code=payment.reservation.code)
    if locks.payment_for_update(payment.pk).left != payment.left:
        return None
    moved = locks.move_payment(
        payment,
        to=State.REFUNDING,
        when=[State.SUCCEEDED, State.PARTIALLY_REFUNDED],
        note=why,
        by=by,
        now=now,
        due_at=now + LEASE,
    )
    if moved:
        if frees_seats:
            code = payment.reservation.code
            reservations.suspend_tickets(code=code, seats=seats, for_fan=for_fan, now=now)
        fields = {"by_id": by, "fee": fee, "frees_seats": frees_seats, "seats": list(seats)}
        Refund.request(moved, amount, why=why, now=now, **fields)
    return moved


@transaction.atomic
def finish(payment: Payment, refunded: int, *, now: datetime) -> Payment | None:
    """The money is back. Seats are released if the refund says so, or if nothing is left.

    In the second case they stay if one of the tickets was used. A refund of some seats leaves the
    others, and what was paid for them.
    """
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    locked = locks.payment_for_update(payment.pk)
    refund = locks.open_refund_for_update(locked)
    if locked.state != State.REFUNDING or refund is None:
        return None
    is_all = refunded >= locked.charged
    left = locked.charged - min(refunded, locked.charged)
    moved = locks.move_payment(
        locked,
        to=State.REFUNDED if is_all else State.PARTIALLY_REFUNDED,
        now=now,
        refunded=locked.charged - left,
        fees=min(locked.fees + refund.fee, left),
        settled_at=locked.settled_at or now,
        due_at=None,
        attempts=0,
    )
    if moved is None:
        return None
    _close(refund, Refund.State.DONE, "", now)
    kinds = [outbox.REFUNDED, *_release_seats(reservation, refund, is_all=is_all, now=now)]
    details = {"refunded": refund.amount, "fee": refund.fee, "why": refund.why}
    details |= {"is_owed": refund.is_owed, "is_cancelled": len(kinds) > 1, "seats": refund.seats}
    outbox.add(moved, reservation, *kinds, now=now, **details)
    return moved


def _release_seats(
    reservation: Reservation, refund: Refund, *, is_all: bool, now: datetime
) -> list[str]:
    """Release what the refund is for; the messages about it."""
    if reservation.state != Reservation.State.CONFIRMED:
        return []
    is_whole = refund.frees_seats and not refund.seats
    if is_whole or (is_all and not reservations.has_used_tickets(code=reservation.code)):
        reservations.refund(code=reservation.code, now=now)
        return [outbox.RESERVATION_CANCELLED]
    if refund.frees_seats:
        reservations.cancel_seats(code=reservation.code, seats=refund.seats, now=now)
        return [outbox.SEATS_CANCELLED]
    return []


@transaction.atomic
def record_external(payment: Payment, refunded: int, *, now: datetime) -> Payment | None:
    """Record a refund that was made at the gateway itself."""
    amount = refunded - payment.refunded
    begun = begin(payment, amount, why=REFUNDED_AT_GATEWAY, frees_seats=False, now=now)
    return finish(begun, refunded, now=now) if begun else None


@transaction.atomic
def adjust_for_external(payment: Payment, refunded: int, *, now: datetime) -> None:
    """A part was refunded at the gateway itself: ours comes on top, with a new idempotency key."""
    reservations.lock_for_payment(code=payment.reservation.code)
    locked = locks.payment_for_update(payment.pk)
    refund = locks.open_refund_for_update(locked)
    if refund is None or refunded <= refund.before:
        return
    done = {"state": Refund.State.DONE, "ended_at": now}
    Refund.request(locked, refunded - refund.before, why=REFUNDED_AT_GATEWAY, now=now, **done)
    left = locked.charged - refunded
    refund.amount = left if refund.is_owed else min(refund.amount, left)
    refund.before, refund.key = refunded, uuid4()
    refund.save(update_fields=["amount", "before", "key"])
    fees = min(locked.fees, left)
    Payment.objects.filter(pk=locked.pk).update(refunded=refunded, fees=fees)


@transaction.atomic
def refuse(payment: Payment, message: str, *, now: datetime) -> Payment | None:
    """The gateway refused, and the fan keeps the seats. An automatic refund is never given up."""
    reservations.lock_for_payment(code=payment.reservation.code)
    locked = locks.payment_for_update(payment.pk)
    refund = locks.open_refund_for_update(locked)
    if locked.state != State.REFUNDING or refund is None or refund.is_owed:
        return None
    _close(refund, Refund.State.REFUSED, message, now)
    reservations.restore_tickets(code=payment.reservation.code, now=now)
    before = State.PARTIALLY_REFUNDED if locked.refunded else State.SUCCEEDED
    note = f"refund refused: {message}"
    return locks.move_payment(locked, to=before, now=now, note=note, due_at=None)


def _close(refund: Refund, state: Refund.State, answer: str, now: datetime) -> None:
    refund.move_to(state)
    refund.answer, refund.ended_at = answer[:300], now
    refund.save(update_fields=["state", "answer", "ended_at"])
