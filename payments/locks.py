"""Row locks of payments, and the statements that lock and write in one go (`sql/`).

A reservation is locked before its payment, a payment before its refunds and messages.
"""

from collections.abc import Collection
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

from payments.models import OutboxMessage, Payment, Refund
from reservations.models import Reservation

FOLDER = Path(__file__).parent / "sql"
COLUMNS = frozenset(field.column for field in Payment._meta.concrete_fields)


def open_payment(
    *, reservation: Reservation, number: str, payment_key: Any, language: str, now: datetime
) -> Payment | None:
    """Begin one, unless there is one already; the reservation's lock is held."""
    wanted = {
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
    return _payment(_text("open"), wanted)


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
    """Lock, move as `MOVES` allows, and write the timeline; None if somebody was faster."""
    allowed = [state for state, reachable in Payment.MOVES.items() if to in reachable]
    if when is not None:
        allowed = [state for state in allowed if state in when]
    changes = "".join(f", {name} = %({name})s" for name in columns if name in COLUMNS)
    wanted = {"id": payment.pk, "to": to, "now": now, "note": note[:300], "by": by}
    statement = _text("move").replace("{set}", changes)
    wanted |= columns | {"allowed": [str(state) for state in allowed]}
    return _with_reservation(_payment(statement, wanted), payment)


def claim_due(*, now: datetime, lease: datetime, batch: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_text("claim"), {"now": now, "lease": lease, "batch": batch})
        return sorted(pk for (pk,) in cursor.fetchall())


def payment_for_update(pk: int) -> Payment:
    return Payment.objects.select_for_update(no_key=True).get(pk=pk)


def open_refund_for_update(payment: Payment) -> Refund | None:
    """Its payment's lock is held already."""
    mine = Refund.objects.select_for_update(no_key=True).filter(payment=payment)
    return mine.filter(state=Refund.State.REQUESTED).first()


def put_messages(*, aggregate: str, kinds: list[str], bodies: list[str], now: datetime) -> None:
    wanted: Any = {"aggregate": aggregate, "kinds": kinds, "bodies": bodies, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(_text("put"), wanted)


def claim_message(*, now: datetime, lease: datetime) -> OutboxMessage | None:
    found = OutboxMessage.objects.raw(_text("claim_message"), {"now": now, "lease": lease})
    return next(iter(found), None)


def message_for_update(pk: int) -> OutboxMessage:
    return OutboxMessage.objects.select_for_update(no_key=True).get(pk=pk)


def _payment(statement: str, wanted: dict[str, Any]) -> Payment | None:
    return next(iter(Payment.objects.raw(statement, wanted)), None)


def _with_reservation(moved: Payment | None, payment: Payment) -> Payment | None:
    """What was read before need not be read again; whose it is never changes."""
    if moved and Payment.reservation.is_cached(payment):
        moved.reservation = payment.reservation
    return moved


@cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text()
