"""Row locks of payments, and the statements that lock and write in one round trip (`sql/`).

A reservation is locked before its payment, a payment before its refunds and messages.
"""

from collections.abc import Collection
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection

from payments.models import OutboxMessage, Payment, Refund
from reservations.models import Reservation

FOLDER = Path(__file__).parent / "sql"
COLUMNS = frozenset(field.column for field in Payment._meta.concrete_fields)


def begin_payment(
    *, reservation: Reservation, number: str, payment_key: UUID, language: str, now: datetime
) -> Payment | None:
    """Insert a payment unless one is open or the key is used; the reservation's lock is held."""
    params = {
        "number": number,
        "payment_key": payment_key,
        "reservation": reservation.pk,
        "fan": reservation.fan_id,
        "amount": reservation.total,
        "currency": reservation.currency,
        "language": language,
        "now": now,
        "due_at": reservation.deadline,
    }
    return next(iter(Payment.objects.raw(statement("begin_payment"), params)), None)


def move_payment(
    payment: Payment,
    *,
    to: str,
    now: datetime,
    when: Collection[str] | None = None,
    note: str = "",
    by: int | None = None,
    **columns: Any,
) -> Payment | None:
    """Lock, move as `MOVES` allows, and add a timeline row; None if it was moved elsewhere."""
    allowed = [state for state, reachable in Payment.MOVES.items() if to in reachable]
    if when is not None:
        allowed = [state for state in allowed if state in when]
    changes = "".join(f", {name} = %({name})s" for name in columns if name in COLUMNS)
    params = {"id": payment.pk, "to": to, "now": now, "note": note[:300], "by": by}
    params |= columns | {"allowed": [str(state) for state in allowed]}
    sql = statement("move_payment").replace("{set}", changes)
    moved = next(iter(Payment.objects.raw(sql, params)), None)
    if moved and Payment.reservation.is_cached(payment):  # saves reading it again
        moved.reservation = payment.reservation
    return moved


def claim_due_payments(*, now: datetime, lease: datetime, batch: int) -> list[int]:
    with connection.cursor() as cursor:
        params: Any = {"now": now, "lease": lease, "batch": batch}
        cursor.execute(statement("claim_due_payments"), params)
        return sorted(pk for (pk,) in cursor.fetchall())


def payment_for_update(pk: int) -> Payment:
    return Payment.objects.select_for_update(no_key=True).get(pk=pk)


def open_refund_for_update(payment: Payment) -> Refund | None:
    """The caller holds the payment's lock."""
    refunds = Refund.objects.select_for_update(no_key=True).filter(payment=payment)
    return refunds.filter(state=Refund.State.REQUESTED).first()


def add_outbox_messages(
    *, aggregate: str, kinds: list[str], bodies: list[str], now: datetime
) -> None:
    params: Any = {"aggregate": aggregate, "kinds": kinds, "bodies": bodies, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(statement("add_outbox_messages"), params)


def claim_outbox_messages(*, now: datetime, lease: datetime, limit: int) -> list[OutboxMessage]:
    params = {"now": now, "lease": lease, "limit": limit}
    claimed = OutboxMessage.objects.raw(statement("claim_outbox_messages"), params)
    return sorted(claimed, key=lambda message: message.pk)


def message_for_update(pk: int) -> OutboxMessage:
    return OutboxMessage.objects.select_for_update(no_key=True).get(pk=pk)


@cache
def statement(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text()
