"""A fan cancels an order, and knows the fee before."""

from dataclasses import dataclass
from datetime import datetime

from payments import selectors
from payments.errors import FeeChanged, NotRefundable, TooLateToCancel
from payments.models import Payment
from payments.services.refunds import begin_and_settle_refund

WHY = "cancelled by the fan"


@dataclass(frozen=True)
class CancellationTerms:
    """The fee for cancelling now, and the amount that is refunded."""

    payment: Payment
    percent: int
    fee: int
    refund: int


def cancellation_terms(*, number: str, fan_id: int, now: datetime) -> CancellationTerms:
    payment = selectors.own_payment(number=number, fan_id=fan_id)
    reservation = payment.reservation
    if payment.state not in selectors.PAID or reservation.state != reservation.State.CONFIRMED:
        raise NotRefundable()
    percent = selectors.fee_percent(
        policy=selectors.policy_of(reservation.event_id),
        event=reservation.event,
        ordered_at=payment.settled_at or payment.created_at,
        now=now,
    )
    if percent is None:
        raise TooLateToCancel()
    fee = payment.left * percent // 100  # rounded down, in the fan's favour
    return CancellationTerms(payment, percent, fee, payment.left - fee)


def cancel_order(*, number: str, fan_id: int, fee: int, now: datetime) -> Payment:
    """Cancel for `fee`, which the fan saw and agreed to. A repeat returns the first result."""
    try:
        terms = cancellation_terms(number=number, fan_id=fan_id, now=now)
        if terms.fee != fee:
            raise FeeChanged(fee=terms.fee)
        if not terms.refund:
            raise NotRefundable()
        return begin_and_settle_refund(
            terms.payment, terms.refund, fee=fee, frees_seats=True, for_fan=True, why=WHY, now=now
        )
    except NotRefundable:
        earlier = selectors.cancelled_payment(number=number, fan_id=fan_id, fee=fee, why=WHY)
        if earlier is None:
            raise
        return earlier
