"""The transactions of a refund."""

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
    for_fan: bool = False,
) -> Payment | None:
    """Committed before the gateway is called, and retried until the gateway has answered.

    None if the payment has moved, or less is left than when the amount was decided. From now on
    the tickets don't admit anybody; a used ticket raises here.
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
            reservations.suspend_tickets(code=code, for_fan=for_fan, now=now)
        fields = {"by_id": by, "fee": fee, "frees_seats": frees_seats}
        Refund.request(moved, amount, why=why, now=now, **fields)
    return moved


@transaction.atomic
def finish(payment: Payment, refunded: int, *, now: datetime) -> Payment | None:
    """The money is back. Seats are released if the refund says so, or if nothing is left.

    In the second case they stay if one of the tickets was used.
    """
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    locked = locks.payment_for_update(payment.pk)
    refund = locks.open_refund_for_update(locked)
    if locked.state != State.REFUNDING or refund is None:
        return None
    is_all = refunded >= locked.charged
    moved = locks.move_payment(
        locked,
        to=State.REFUNDED if is_all else State.PARTIALLY_REFUNDED,
        now=now,
        refunded=min(refunded, locked.charged),
        settled_at=locked.settled_at or now,
        due_at=None,
        attempts=0,
    )
    if moved is None:
        return None
    _close(refund, Refund.State.DONE, "", now)
    kinds = [outbox.REFUNDED]
    is_over = refund.frees_seats or (
        is_all and not reservations.has_used_tickets(code=reservation.code)
    )
    if is_cancelled := is_over and reservation.state == Reservation.State.CONFIRMED:
        reservations.refund(code=reservation.code, now=now)
        kinds.append(outbox.RESERVATION_CANCELLED)
    details = {"refunded": refund.amount, "fee": refund.fee, "why": refund.why}
    details |= {"is_owed": refund.is_owed, "is_cancelled": is_cancelled}
    outbox.add(moved, reservation, *kinds, now=now, **details)
    return moved


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
    Payment.objects.filter(pk=locked.pk).update(refunded=refunded)


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
