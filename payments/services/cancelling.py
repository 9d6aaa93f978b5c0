"""The fan gives tickets back, and knows the fee before."""

from dataclasses import dataclass
from datetime import datetime

from payments import policy, selectors
from payments.errors import FeeChanged, NotRefundable, TooLateToCancel
from payments.models import Payment
from payments.services.refunding import give_back

WHY = "cancelled by the fan"


@dataclass(frozen=True)
class CancelTerms:
    """What cancelling now would cost and give back."""

    payment: Payment
    percent: int
    fee: int
    back: int


def cancel_terms(*, number: str, fan_id: int, now: datetime) -> CancelTerms:
    payment = selectors.own_payment(number=number, fan_id=fan_id)
    if payment.state not in (Payment.State.SUCCEEDED, Payment.State.PARTIALLY_REFUNDED):
        raise NotRefundable()
    if payment.reservation.state != payment.reservation.State.CONFIRMED:
        raise NotRefundable()
    event = payment.reservation.event
    found = policy.terms(
        policy=selectors.policy_of(event.pk),
        event=event,
        ordered_at=payment.settled_at or payment.created_at,
        now=now,
    )
    if found.percent is None:
        raise TooLateToCancel()
    fee = found.fee(payment.left)
    return CancelTerms(payment, found.percent, fee, payment.left - fee)


def cancel_by_fan(*, number: str, fan_id: int, fee: int, now: datetime) -> Payment:
    """`fee` is what the fan saw and agreed to. Who asks again is told what became of it."""
    try:
        return _cancel(cancel_terms(number=number, fan_id=fan_id, now=now), fee, now)
    except NotRefundable:
        earlier = selectors.cancelled_payment(number=number, fan_id=fan_id, fee=fee, why=WHY)
        if earlier is None:
            raise
        return earlier


def _cancel(terms: CancelTerms, fee: int, now: datetime) -> Payment:
    if terms.fee != fee:
        raise FeeChanged(fee=terms.fee)
    if not terms.back:
        raise NotRefundable()
    return give_back(
        terms.payment, terms.back, fee=fee, frees_seats=True, for_fan=True, why=WHY, now=now
    )
