"""Refunds all or a part of a charge."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Sum

from payments.sandbox import timers
from payments.sandbox.behaviours import Behaviour
from payments.sandbox.errors import (
    CancelAmountExceeds,
    CancellableAmountBroken,
    InvalidRequest,
    PaymentAlreadyCancelled,
    PaymentNotFound,
    PaymentNotPaid,
    PgProvider,
)
from payments.sandbox.locks import payment_for_update
from payments.sandbox.models import Cancellation, Movement, Payment, new_id
from payments.sandbox.webhooks import send_webhook

State = Payment.State
REFUSED = {"pgCode": "NOT_CANCELABLE_PAYMENT", "pgMessage": "The card company refused."}


def cancel(
    *,
    payment_id: str,
    reason: str,
    amount: int | None = None,
    expected_left: int | None = None,
    notify: bool = True,
    now: datetime,
) -> Cancellation:
    """Refund this amount, or all that is left."""
    with transaction.atomic():
        payment = payment_for_update(payment_id)
        wanted = _refund_amount(payment, amount, expected_left)
        cancellation = _request(payment, wanted, reason, notify, now)
        if payment.behaviour == Behaviour.REFUND_PENDING:
            cancellation.due_at = now + timedelta(seconds=payment.seconds)
            cancellation.save()
            send_webhook(payment, "Transaction.CancelPending", cancellation=cancellation, now=now)
            timers.run_later(settle_refunds, payment.payment_id, seconds=payment.seconds)
        else:
            finish(payment, cancellation, now=now)
    return cancellation


def _refund_amount(payment: Payment, amount: int | None, expected_left: int | None) -> int:
    _require_charged(payment)
    left = refundable(payment)
    if expected_left not in (None, left):
        raise CancellableAmountBroken()
    if amount is not None and amount <= 0:
        raise InvalidRequest()
    if left == 0:
        raise PaymentAlreadyCancelled()
    if amount is not None and amount > left:
        raise CancelAmountExceeds()
    if payment.behaviour == Behaviour.REFUND_REFUSED:
        raise PgProvider(**REFUSED)
    return amount or left


def _require_charged(payment: Payment) -> None:
    if payment.state == State.REGISTERED:
        raise PaymentNotFound()
    if payment.state == State.CANCELLED:
        raise PaymentAlreadyCancelled()
    if payment.state not in Payment.CHARGED:
        raise PaymentNotPaid()


def refundable(payment: Payment) -> int:
    """What is neither refunded nor requested."""
    requested = payment.cancellations.aggregate(sum=Sum("amount"))["sum"] or 0
    return payment.charged - int(requested)


def _request(
    payment: Payment, amount: int, reason: str, notify: bool, now: datetime
) -> Cancellation:
    return Cancellation.objects.create(
        payment=payment,
        cancellation_id=new_id("cancellation"),
        state=Cancellation.State.REQUESTED,
        amount=amount,
        reason=reason,
        requested_at=now,
        is_told=notify,
    )


def settle_refunds(payment_id: str, *, now: datetime) -> None:
    """Finish the pending refunds whose time has come."""
    with transaction.atomic():
        payment = payment_for_update(payment_id)
        due = payment.cancellations.filter(state=Cancellation.State.REQUESTED, due_at__lte=now)
        for cancellation in due.order_by("pk"):
            finish(payment, cancellation, now=now)


def finish(payment: Payment, cancellation: Cancellation, *, now: datetime) -> None:
    """Record the refund. The caller holds the payment's lock."""
    kind = Movement.Kind.REFUND
    Movement.objects.create(payment=payment, kind=kind, amount=cancellation.amount, at=now)
    cancellation.state, cancellation.cancelled_at = Cancellation.State.SUCCEEDED, now
    cancellation.save()
    whole = payment.refunded == payment.charged
    payment.move_to(State.CANCELLED if whole else State.PARTIAL_CANCELLED)
    payment.changed_at = now
    payment.save()
    if cancellation.is_told:
        word = "Cancelled" if whole else "PartialCancelled"
        send_webhook(payment, f"Transaction.{word}", cancellation=cancellation, now=now)
