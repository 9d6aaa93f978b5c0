"""Row locks of payments, and the statements that lock and write in one round trip (`sql/`).

A reservation is locked before its payment, a payment before its refunds and messages. What a
checkout does in its event loop is a coroutine, and a transaction of its own.
"""

import json
from collections.abc import Collection
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection

from payments.models import OutboxMessage, Payment, Refund, RefundPolicy
from reservations import services as reservations
from reservations.models import Reservation
from ticketing.core.sql import arows, columns, instance, rows
from ticketing.events.models import FIRST_REHEARSAL_ID

FOLDER = Path(__file__).parent / "sql"
# The terms are long, and needed only by who cancels.
PAYMENT = columns(Payment, "payment", without=("terms",))
RESERVATION = columns(Reservation, "reservation", "reservation.")
CHANGEABLE = frozenset(field.column for field in Payment._meta.concrete_fields)


async def begin_payment(
    *,
    code: str,
    fan_id: int,
    number: str,
    payment_key: UUID,
    language: str,
    takes_rehearsals: bool,
    consents: Collection[int],
    now: datetime,
) -> dict[str, Any] | None:
    """Lock the reservation, find or begin its payment; None without such a reservation."""
    values: dict[str, Any] = {"code": code, "fan": fan_id, "number": number, "now": now}
    values |= {"payment_key": payment_key, "language": language}
    values |= {"takes_rehearsals": takes_rehearsals, "first_rehearsal": FIRST_REHEARSAL_ID}
    values |= {"usual_terms": json.dumps(RefundPolicy().terms)}
    # As text, like all numbers: each width of array would be prepared anew.
    values |= {"consents": f"{{{','.join(map(str, consents))}}}"}
    text = statement("begin_payment").replace("{extend_hold}", reservations.extension_sql())
    return next(iter(await arows(_with_columns(text), values)), None)


async def start_charge(
    *, number: str, fan_id: int, token: str, transaction_id: str, now: datetime, due_at: datetime
) -> tuple[Payment, bool] | None:
    """The fan's payment with its reservation, and whether this call started the charge."""
    values: dict[str, Any] = {"number": number, "fan": fan_id, "token": token, "now": now}
    values |= {"transaction_id": transaction_id, "due_at": due_at}
    text = _with_columns(statement("start_charge"))
    found = await arows(text, values | _allowed(Payment.State.CHARGING))
    return next(((payment_of(row), row["is_started"]) for row in found), None)


async def succeed_payment(
    payment: Payment, *, charged: int, transaction_id: str, kind: str, now: datetime
) -> dict[str, Any]:
    """Lock reservation, payment and seats; sell, if both are still open."""
    values: dict[str, Any] = {"id": payment.pk, "charged": charged, "kind": kind}
    values |= {"transaction_id": transaction_id} | reservations.sale_values(now)
    values |= _allowed(Payment.State.SUCCEEDED, when=Payment.OPEN)
    text = statement("succeed_payment").replace("{sale}", reservations.sale_sql())
    [row] = await arows(_with_columns(text), values)
    return row


def move_payment(payment: Payment, **move: Any) -> Payment | None:
    """Lock, move as `MOVES` allows, and add a timeline row; None if it was moved elsewhere.

    `move` as in `_move`. In a transaction of the caller's, or in one of its own.
    """
    return _moved(payment, rows(*_move(payment, **move)))


async def amove_payment(payment: Payment, **move: Any) -> Payment | None:
    """The same for coroutines."""
    return _moved(payment, await arows(*_move(payment, **move)))


def _move(
    payment: Payment,
    *,
    to: str,
    now: datetime,
    when: Collection[str] | None = None,
    note: str = "",
    by: int | None = None,
    **changes: Any,
) -> tuple[str, dict[str, Any]]:
    further = "".join(f", {name} = %({name})s" for name in changes if name in CHANGEABLE)
    values = {"id": payment.pk, "to": to, "now": now, "note": note[:300], "by": by}
    text = _with_columns(statement("move_payment").replace("{set}", further))
    return text, values | changes | _allowed(to, when=when)


def _moved(payment: Payment, found: list[dict[str, Any]]) -> Payment | None:
    moved = next((instance(Payment, row) for row in found), None)
    if moved and Payment.reservation.is_cached(payment):  # saves reading it again
        moved.reservation = payment.reservation
    return moved


def payment_of(row: dict[str, Any]) -> Payment:
    """The payment of a row, with its reservation."""
    payment = instance(Payment, row)
    payment.reservation = instance(Reservation, row, "reservation.")
    return payment


def _allowed(to: str, when: Collection[str] | None = None) -> dict[str, list[str]]:
    """The states from which a payment may move there."""
    states = [state for state, reachable in Payment.MOVES.items() if to in reachable]
    return {"allowed": [str(state) for state in states if when is None or state in when]}


def _with_columns(text: str) -> str:
    return text.replace("{payment}", PAYMENT).replace("{reservation}", RESERVATION)


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
