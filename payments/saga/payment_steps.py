"""The transactions from the beginning of a payment to its success or failure.

Those of every sale are coroutines, one statement each; the others are for threads.
"""

import json
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from payments import locks, outbox, selectors
from payments.errors import KeyReused, NoPayment, RehearsalNotCharged
from payments.gateways import GatewayPayment
from payments.models import Payment, Refund
from payments.models.payments import new_number
from payments.saga.schedule import GRACE, LATE_CHARGE_CHECKS
from reservations import services as reservations
from reservations.errors import NoReservation
from reservations.models import Reservation
from ticketing.accounts.errors import ConsentMissing
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.sql import instance
from ticketing.events.models import Event
from ticketing.events.selectors import is_rehearsal

State = Payment.State
# A payment that was begun at the same moment is found when the statement is repeated.
ATTEMPTS = 3


async def begin(
    *,
    code: str,
    fan_id: int,
    payment_key: UUID,
    language: str,
    consents: Collection[int] = (),
    now: datetime,
) -> Payment:
    """Begin a payment, or find the one of this key or the open one. The hold can't expire now.

    `consents`: ids of the documents that the fan agrees to with this order.
    """
    for _ in range(ATTEMPTS):
        row = await locks.begin_payment(
            code=code,
            fan_id=fan_id,
            number=new_number(),
            payment_key=payment_key,
            language=language,
            takes_rehearsals=selectors.uses_sandbox(),
            consents=consents,
            now=now,
        )
        if row is None:
            raise NoReservation()
        if payment := await _begun(row, payment_key):
            return payment
    raise KeyReused()


async def mark_prepared(payment: Payment, *, now: datetime) -> Payment | None:
    """The amount is registered at the gateway."""
    return await locks.amove_payment(payment, to=State.PREPARED, now=now)


async def start_charge(
    *, number: str, fan_id: int, token: str, transaction_id: str, now: datetime
) -> tuple[Payment, bool]:
    """The fan's own payment as it is now, and whether it is the caller's to charge.

    Committed before the gateway is called: from now on only its answer moves the payment.
    """
    found = await locks.start_charge(
        number=number,
        fan_id=fan_id,
        token=token,
        transaction_id=transaction_id,
        now=now,
        due_at=now + timedelta(seconds=settings.PAYMENT_PATIENCE) + GRACE,
    )
    if found is None:
        raise NoPayment()
    return found


async def succeed(payment: Payment, charge: GatewayPayment, *, now: datetime) -> Payment | None:
    """Payment succeeded, seats sold, tickets issued, message written: all or none."""
    row = await locks.succeed_payment(
        payment,
        charged=charge.amount,
        transaction_id=charge.transaction_id,
        kind=outbox.RESERVATION_CONFIRMED,
        now=now,
    )
    if row["id"] is not None:
        paid = locks.payment_of(row)
        await reservations.apublish_sale(paid.reservation, row["seats"], now=now)
        return paid
    if row["reservation.state"] != Reservation.State.PAYING:
        return await in_thread(auto_refund, payment, charge, "the seats were gone", now=now)
    return None


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


async def _begun(row: dict[str, Any], payment_key: UUID) -> Payment | None:
    """The payment in the row of `begin_payment.sql`; None if its snapshot was too old for it."""
    payment = locks.payment_of(row)
    reservation = payment.reservation
    if payment.payment_key == payment_key:
        if row["reservation_id"] != reservation.pk:
            raise KeyReused()
    else:
        reservations.require_payable(reservation, row["status"])
        if is_rehearsal(reservation.event_id) and not selectors.uses_sandbox():
            raise RehearsalNotCharged()
        if row["id"] is None:
            if row["missing_consents"] and row["status"] == "extended":
                raise ConsentMissing(documents=json.loads(row["missing_consents"]))
            return None
    reservation.event = instance(Event, row, "event.")
    if row["extended_seats"]:
        await reservations.apublish_extension(reservation, row["extended_seats"])
    return payment


def _resume_or_release(reservation: Reservation, now: datetime) -> bool:
    """Hold the seats for the time that is left; True if there is none and they are released."""
    if reservation.state != Reservation.State.PAYING:
        return False
    if reservation.deadline <= now:
        reservations.cancel(code=reservation.code, now=now)
        return True
    reservations.resume_hold(code=reservation.code, now=now)
    return False
