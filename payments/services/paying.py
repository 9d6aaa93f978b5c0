"""A fan pays: begin, pay in the browser, then the charge. Nobody in a browser waits for long."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from payments import idempotency, saga, selectors
from payments.errors import PaymentOver, PaymentsPaused, RehearsalMovesNoMoney
from payments.gateways import Trouble, gateway, moves_no_money
from payments.models import Payment
from payments.models.payments import new_number
from payments.services.patience import Patience
from payments.services.settling import charge_and_settle, write_down
from reservations import services as reservations

State = Payment.State


def start(
    *, code: str, fan_id: int, token: str, payment_key: UUID, language: str, now: datetime
) -> Payment:
    """Begin to pay for what is held. The same key, or another tab, finds the same payment."""
    code = code.upper()
    _require_play_money(code)
    reservations.require_payment_token(token, code=code, fan_id=fan_id, now=now)
    payment = idempotency.earlier_payment(payment_key=payment_key, code=code, fan_id=fan_id)
    if payment is None:
        payment = _begun(code, fan_id, payment_key, language, now)
    return _prepared(payment, now) if payment.state == State.PENDING else payment


def confirm(
    *, number: str, fan_id: int, payment_token: str, transaction_id: str = "", now: datetime
) -> Payment:
    """The fan has agreed in the browser: charge. Still CHARGING means that a worker goes on."""
    payment = selectors.own_payment(number=number, fan_id=fan_id)
    if payment.state == State.PENDING:
        payment = _prepared(payment, now)
    if payment.state != State.PREPARED:
        return _stored_result(payment)
    charging = saga.mark_charging(
        payment, token=payment_token, transaction_id=transaction_id, now=now
    )
    if charging is None:  # a second click, at the same moment
        return selectors.own_payment(number=number, fan_id=fan_id)
    return charge_and_settle(charging, Patience(settings.PAYMENT_PATIENCE), now=now)


def turn_back(*, number: str, fan_id: int, now: datetime) -> Payment:
    """The fan did not pay, or the window said no: unless the gateway knows better, it is over.

    The seats are held again for the time that is left. A charge that comes after all goes back.
    """
    payment = selectors.own_payment(number=number, fan_id=fan_id)
    if payment.state not in (State.PENDING, State.PREPARED):
        return payment
    try:
        picture = gateway().look(number=number, seconds=settings.PAYMENT_PATIENCE)
    except Trouble:
        return payment  # at the deadline, a worker asks
    if picture.word == "unpaid":
        saga.give_up(payment, "closed without paying", now=now)
        return selectors.payment(payment.pk)
    return write_down(payment, picture, now=now)


def checkout_of(payment: Payment) -> dict[str, Any]:
    """What PortOne's script in the browser has to be told."""
    return {
        "store_id": settings.PORTONE_STORE_ID,
        "channel_key": settings.PORTONE_CHANNEL_KEY,
        "payment_id": payment.number,
        "order_name": str(payment.reservation.event),
        "total_amount": payment.amount,
        "currency": payment.currency,
    }


def _require_play_money(code: str) -> None:
    """A rehearsal never charges anybody; where all money is play, there is nothing to ask."""
    if not moves_no_money() and selectors.is_of_a_rehearsal(code):
        raise RehearsalMovesNoMoney()


def _begun(code: str, fan_id: int, key: UUID, language: str, now: datetime) -> Payment:
    return saga.begin(
        code=code,
        fan_id=fan_id,
        number=new_number(),
        payment_key=key,
        language=language,
        now=now,
    )


def _prepared(payment: Payment, now: datetime) -> Payment:
    order: Any = {"number": payment.number, "amount": payment.amount, "currency": payment.currency}
    try:
        gateway().prepare(**order, seconds=settings.PAYMENT_PATIENCE)
    except Trouble as trouble:
        raise PaymentsPaused() from trouble
    return saga.mark_prepared(payment, now=now) or selectors.payment(payment.pk)


def _stored_result(payment: Payment) -> Payment:
    """A repeat is told what became of it."""
    if payment.state == State.CANCELLED:
        raise PaymentOver()
    return payment
