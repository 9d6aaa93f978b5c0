"""A fan pays: begin, pay in the browser, confirm; or abort."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from payments import selectors
from payments.errors import PaymentOver, PaymentsPaused
from payments.gateways import GatewayError, gateway
from payments.models import Payment
from payments.saga import payment_steps
from payments.services.deadline import Deadline
from payments.services.settlement import apply_gateway_state, charge_and_settle
from reservations import services as reservations

State = Payment.State


def begin_payment(
    *, code: str, fan_id: int, token: str, payment_key: UUID, language: str, now: datetime
) -> Payment:
    """Begin to pay for held seats. The same key, or another tab, finds the same payment."""
    code = code.upper()
    reservations.require_payment_token(token, code=code, fan_id=fan_id, now=now)
    payment = selectors.payment_by_key(payment_key=payment_key, code=code, fan_id=fan_id)
    if payment is None:
        payment = payment_steps.begin(
            code=code, fan_id=fan_id, payment_key=payment_key, language=language, now=now
        )
    return _prepare(payment, now) if payment.state == State.PENDING else payment


def confirm_payment(
    *, number: str, fan_id: int, payment_token: str, transaction_id: str = "", now: datetime
) -> Payment:
    """Charge what the fan agreed to in the browser. CHARGING means that a worker goes on.

    A repeat returns the result of the first call.
    """
    payment = selectors.own_payment(number=number, fan_id=fan_id)
    if payment.state == State.PENDING:
        payment = _prepare(payment, now)
    if payment.state == State.CANCELLED:
        raise PaymentOver()
    if payment.state != State.PREPARED:
        return payment
    charging = payment_steps.mark_charging(
        payment, token=payment_token, transaction_id=transaction_id, now=now
    )
    if charging is None:  # a second click at the same moment
        return selectors.own_payment(number=number, fan_id=fan_id)
    return charge_and_settle(charging, Deadline(settings.PAYMENT_PATIENCE), now=now)


def abort_payment(*, number: str, fan_id: int, now: datetime) -> Payment:
    """The fan closed the window, or it reported a failure: cancel unless the gateway charged.

    The seats are held again for the time that is left. A late charge is refunded.
    """
    payment = selectors.own_payment(number=number, fan_id=fan_id)
    if payment.state not in (State.PENDING, State.PREPARED):
        return payment
    try:
        found = gateway().fetch(number=number, timeout=settings.PAYMENT_PATIENCE)
    except GatewayError:
        return payment  # a worker asks again at the deadline
    if found.status == "unpaid":
        payment_steps.cancel_unpaid(payment, "closed without paying", now=now)
        return selectors.payment(payment.pk)
    return apply_gateway_state(payment, found, now=now)


def checkout_parameters(payment: Payment) -> dict[str, Any]:
    """What PortOne's script in the browser needs."""
    return {
        "store_id": settings.PORTONE_STORE_ID,
        "channel_key": settings.PORTONE_CHANNEL_KEY,
        "payment_id": payment.number,
        "order_name": str(payment.reservation.event),
        "total_amount": payment.amount,
        "currency": payment.currency,
    }


def _prepare(payment: Payment, now: datetime) -> Payment:
    order: Any = {"number": payment.number, "amount": payment.amount, "currency": payment.currency}
    try:
        gateway().prepare(**order, timeout=settings.PAYMENT_PATIENCE)
    except GatewayError as error:
        raise PaymentsPaused() from error
    return payment_steps.mark_prepared(payment, now=now) or selectors.payment(payment.pk)
