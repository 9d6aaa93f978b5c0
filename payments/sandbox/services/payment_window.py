"""The payment window: what the fan sees and chooses before the charge."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from payments.sandbox.behaviours import FAILURES, Behaviour
from payments.sandbox.errors import AlreadyPaid, InformationMismatch, InvalidRequest
from payments.sandbox.locks import payment_for_update, plan_for_update
from payments.sandbox.models import Payment, new_id
from payments.sandbox.services import charges
from payments.sandbox.webhooks import send_webhook

State = Payment.State
# In any other channel the window itself charges, and there is nothing to confirm.
MANUAL = "manual"
LONGEST_ID = 64


@dataclass(frozen=True)
class WindowOrder:
    """The order that the shop's page opens the window with; None means as registered."""

    amount: int | None = None
    currency: str | None = None
    name: str = ""
    channel_key: str = ""
    origin: str = ""
    address: str = "127.0.0.1"


def pre_register(
    *, payment_id: str, amount: int | None, currency: str | None, now: datetime
) -> None:
    """Register the amount, so that the fan's browser can't change it."""
    with transaction.atomic():
        payment = _get_or_create(payment_id, now)
        if payment.state in Payment.CHARGED:
            raise AlreadyPaid()
        payment.amount, payment.currency = amount, currency or payment.currency
        payment.save()


def _get_or_create(payment_id: str, now: datetime) -> Payment:
    if len(payment_id) > LONGEST_ID:
        raise InvalidRequest("The payment's id is too long.")
    Payment.objects.bulk_create(
        [Payment(payment_id=payment_id, changed_at=now)], ignore_conflicts=True
    )
    return payment_for_update(payment_id)


def open_window(*, payment_id: str, order: WindowOrder, now: datetime) -> Payment:
    """Open the window. A repeat changes nothing; after a failure it begins a new try."""
    with transaction.atomic():
        payment = _get_or_create(payment_id, now)
        if payment.state in Payment.CHARGED or payment.state == State.PAY_PENDING:
            raise AlreadyPaid()
        _require_same_amount(payment, order)
        if payment.state != State.READY:
            _begin(payment, order, now)
        return payment


def _require_same_amount(payment: Payment, order: WindowOrder) -> None:
    asked, fixed = (order.amount, order.currency), (payment.amount, payment.currency)
    if payment.amount is None:
        fixed = (order.amount, order.currency or payment.currency)
    if fixed[0] is None:
        raise InvalidRequest("Nobody said how much.")
    if any(one not in (None, other) for one, other in zip(asked, fixed, strict=True)):
        raise InformationMismatch()
    payment.amount, payment.currency = fixed[0], fixed[1] or payment.currency


def _begin(payment: Payment, order: WindowOrder, now: datetime) -> None:
    payment.move_to(State.READY)
    payment.transaction_id = new_id("tx")
    payment.order_name = order.name or payment.order_name or payment.payment_id
    payment.channel_key = order.channel_key or settings.PORTONE_CHANNEL_KEY
    payment.origin = order.origin or payment.origin
    payment.address = order.address
    payment.opened_at = payment.changed_at = now
    payment.failure_code = payment.failure_message = ""
    payment.behaviour = Behaviour.SUCCEED
    if plan := plan_for_update():
        payment.behaviour, payment.seconds = plan.behaviour, plan.seconds
        plan.delete()
    payment.save()
    # Sent normally: the behaviour applies to webhooks after the fan's choice.
    planned, payment.behaviour = payment.behaviour, Behaviour.SUCCEED
    send_webhook(payment, "Transaction.Ready", now=now)
    payment.behaviour = planned


def choose(
    *, payment_id: str, behaviour: Behaviour, seconds: float, now: datetime
) -> dict[str, str]:
    """Carry out the fan's choice; returns the parameters that PortOne adds to the return URL."""
    with transaction.atomic():
        payment = payment_for_update(payment_id)
        if payment.state != State.READY:
            raise AlreadyPaid()
        payment.behaviour, payment.seconds = behaviour, seconds
        _carry_out(payment, now)
    return return_parameters(payment)


def _carry_out(payment: Payment, now: datetime) -> None:
    behaviour = Behaviour(payment.behaviour)
    manual = MANUAL in payment.channel_key
    if behaviour in FAILURES and not (manual and behaviour == Behaviour.REFUSE):
        charges.fail(payment, now=now)
    elif behaviour == Behaviour.PENDING:
        charges.leave_pending(payment, now=now)
    elif manual:
        payment.token = charges.new_token()
        payment.save()
    else:
        charges.charge(payment, now=now)


def return_parameters(payment: Payment) -> dict[str, str]:
    answer = {
        "transactionType": "PAYMENT",
        "txId": payment.transaction_id,
        "paymentId": payment.payment_id,
    }
    if payment.state == State.FAILED:
        answer |= {"code": "FAILURE_TYPE_PG", "message": payment.failure_message}
        return answer | {"pgCode": payment.failure_code, "pgMessage": payment.failure_message}
    return answer | ({"paymentToken": payment.token} if payment.token else {})
