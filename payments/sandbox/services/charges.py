"""Charges a payment."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from payments.sandbox import timers
from payments.sandbox.behaviours import FAILURES, WRONG_BY, Behaviour
from payments.sandbox.errors import (
    AlreadyPaid,
    InformationMismatch,
    InvalidPaymentToken,
    PaymentNotFound,
    PaymentNotPaid,
    PgProvider,
)
from payments.sandbox.locks import payment_for_update
from payments.sandbox.models import Movement, Payment, new_id
from payments.sandbox.webhooks import send_webhook

State = Payment.State


@dataclass(frozen=True)
class Expected:
    """The values that the shop expects; None is not compared."""

    amount: int | None = None
    currency: str | None = None
    transaction_id: str | None = None
    is_test: bool | None = None

    def differs_from(self, payment: Payment) -> bool:
        expected = (self.amount, self.currency, self.transaction_id, self.is_test)
        actual = (payment.amount, payment.currency, payment.transaction_id, True)
        return any(one not in (None, other) for one, other in zip(expected, actual, strict=True))


def confirm(
    *, payment_id: str, token: str, expected: Expected, notify: bool = True, now: datetime
) -> Payment:
    """Charge once what the fan agreed to in the window."""
    with transaction.atomic():
        payment = payment_for_update(payment_id)
        _require_confirmable(payment, token, expected)
        if payment.behaviour != Behaviour.REFUSE:
            return charge(payment, notify=notify, now=now)
        refused = fail(payment, now=now)
    raise PgProvider(pgCode=refused.failure_code, pgMessage=refused.failure_message)


def _require_confirmable(payment: Payment, token: str, expected: Expected) -> None:
    if payment.state == State.REGISTERED:
        raise PaymentNotFound()
    if payment.state in Payment.CHARGED:
        raise AlreadyPaid()
    if not payment.token or payment.token != token:
        raise InvalidPaymentToken()
    if expected.differs_from(payment):
        raise InformationMismatch()


def charge(payment: Payment, *, notify: bool = True, now: datetime) -> Payment:
    """Record the charge. The caller holds the payment's lock."""
    wrong = WRONG_BY if payment.behaviour == Behaviour.WRONG_AMOUNT else 0
    kind, amount = Movement.Kind.CHARGE, (payment.amount or 0) + wrong
    Movement.objects.create(payment=payment, kind=kind, amount=amount, at=now)
    _move(payment, State.PAID, paid_at=now, now=now)
    if notify:
        send_webhook(payment, "Transaction.Paid", now=now)
    return payment


def fail(payment: Payment, *, now: datetime) -> Payment:
    code, message = FAILURES[Behaviour(payment.behaviour)]
    _move(payment, State.FAILED, failure_code=code, failure_message=str(message), now=now)
    send_webhook(payment, "Transaction.Failed", now=now)
    return payment


def leave_pending(payment: Payment, *, now: datetime) -> Payment:
    """Leave the charge pending; `settle_charge` ends that."""
    _move(payment, State.PAY_PENDING, due_at=now + timedelta(seconds=payment.seconds), now=now)
    send_webhook(payment, "Transaction.PayPending", now=now)
    timers.run_later(settle_charge, payment.payment_id, seconds=payment.seconds)
    return payment


def _move(payment: Payment, state: State, *, now: datetime, **fields: Any) -> None:
    payment.move_to(state)
    for name, value in {"token": "", "due_at": None, "changed_at": now, **fields}.items():
        setattr(payment, name, value)
    payment.save()


def settle_charge(payment_id: str, *, now: datetime) -> None:
    """Charge a pending payment whose time has come."""
    with transaction.atomic():
        payment = payment_for_update(payment_id)
        if payment.state == State.PAY_PENDING and payment.due_at and payment.due_at <= now:
            charge(payment, now=now)


def capture(*, payment_id: str) -> None:
    """Every sandbox charge is captured already; PortOne refuses only what was not paid."""
    payment = Payment.objects.exclude(state=State.REGISTERED).filter(payment_id=payment_id).first()
    if payment is None:
        raise PaymentNotFound()
    if payment.state != State.PAID:
        raise PaymentNotPaid()


def new_token() -> str:
    return new_id("payment-token")
