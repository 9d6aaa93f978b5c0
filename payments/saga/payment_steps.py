"""The transactions from the beginning of a payment to its success or failure."""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from payments import locks, outbox, selectors
from payments.errors import KeyReused, RehearsalNotCharged
from payments.gateways import GatewayPayment
from payments.models import Payment, Refund
from payments.models.payments import new_number
from payments.saga.schedule import GRACE, LATE_CHARGE_CHECKS
from reservations import services as reservations
from reservations.models import Reservation
from ticketing.events.selectors import is_rehearsal

State = Payment.State


@transaction.atomic
def begin(*, code: str, fan_id: int, payment_key: UUID, language: str, now: datetime) -> Payment:
    """Begin a payment, or find the open one. From now on the hold can't expire."""
    reservation = reservations.extend_for_payment(code=code, fan_id=fan_id, now=now)
    if is_rehearsal(reservation.event_id) and not selectors.uses_sandbox():
        raise RehearsalNotCharged()
    payment = locks.begin_payment(
        reservation=reservation,
        number=new_number(),
        payment_key=payment_key,
        language=language,
        now=now,
    )
    payment = payment or selectors.open_payment_of(code)
    if payment is None:  # the key was used for another reservation at the same moment
        raise KeyReused()
    return payment


def mark_prepared(payment: Payment, *, now: datetime) -> Payment | None:
    """The amount is registered at the gateway."""
    return locks.move_payment(payment, to=State.PREPARED, now=now)


def mark_charging(
    payment: Payment, *, token: str, transaction_id: str, now: datetime
) -> Payment | None:
    """Committed before the gateway is called: from now on only its answer moves the payment."""
    return locks.move_payment(
        payment,
        to=State.CHARGING,
        now=now,
        payment_token=token,
        transaction_id=transaction_id,
        charging_at=now,
        due_at=now + timedelta(seconds=settings.PAYMENT_PATIENCE) + GRACE,
    )


@transaction.atomic
def succeed(payment: Payment, charge: GatewayPayment, *, now: datetime) -> Payment | None:
    """Payment succeeded, seats sold, reservation confirmed, messages written: all or none."""
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    if reservation.state != Reservation.State.PAYING:
        return auto_refund(payment, charge, "the seats were gone", now=now)
    moved = locks.move_payment(
        payment,
        to=State.SUCCEEDED,
        when=Payment.OPEN,
        now=now,
        charged=charge.amount,
        transaction_id=charge.transaction_id,
        settled_at=now,
        due_at=None,
        payment_token="",
    )
    if moved:
        reservations.confirm(code=reservation.code, now=now)
        kinds = (outbox.PAYMENT_SUCCEEDED, outbox.RESERVATION_CONFIRMED)
        outbox.add(moved, reservation, *kinds, now=now)
    return moved


def fail(payment: Payment, code: str, message: str, *, now: datetime) -> Payment | None:
    """Not charged. The fan may try again while time is left; otherwise the seats are released."""
    return _end(payment, State.FAILED, code, message, now)


def cancel_unpaid(payment: Payment, reason: str, *, now: datetime) -> Payment | None:
    """Nobody paid, and the gateway knows of no charge."""
    return _end(payment, State.CANCELLED, reason, "", now)


@transaction.atomic
def auto_refund(
    payment: Payment, charge: GatewayPayment, reason: str, *, now: datetime
) -> Payment | None:
    """Refund a charge that can't buy the seats; it is retried until the money is back."""
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    locked = locks.payment_for_update(payment.pk)
    was_open = locked.is_open
    moved = locks.move_payment(
        locked,
        to=State.REFUNDING,
        when=[*Payment.OPEN, State.FAILED, State.CANCELLED],
        note=reason,
        now=now,
        charged=charge.amount,
        refunded=charge.refunded,
        transaction_id=charge.transaction_id,
        failure_code=reason[:100],
        due_at=now,
    )
    if moved:
        Refund.request(moved, moved.left, why=reason, now=now, is_owed=True)
        if was_open:
            _resume_or_release(reservation, now)
            outbox.add(moved, reservation, outbox.PAYMENT_FAILED, now=now, why=reason)
    return moved


@transaction.atomic
def _end(payment: Payment, to: State, code: str, message: str, now: datetime) -> Payment | None:
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    moved = locks.move_payment(
        payment,
        to=to,
        when=Payment.OPEN,
        note=code,
        now=now,
        failure_code=code[:100],
        failure_message=message[:300],
        settled_at=now,
        due_at=now + LATE_CHARGE_CHECKS[0],
        attempts=0,
        payment_token="",
    )
    if moved:
        kinds = [outbox.PAYMENT_FAILED]
        if _resume_or_release(reservation, now):
            kinds.append(outbox.RESERVATION_CANCELLED)
        outbox.add(moved, reservation, *kinds, now=now, why=code)
    return moved


def _resume_or_release(reservation: Reservation, now: datetime) -> bool:
    """Hold the seats for the time that is left; True if there is none and they are released."""
    if reservation.state != Reservation.State.PAYING:
        return False
    if reservation.deadline <= now:
        reservations.cancel(code=reservation.code, now=now)
        return True
    reservations.resume_hold(code=reservation.code, now=now)
    return False
