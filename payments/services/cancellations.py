"""A fan cancels an order, and knows the fee before."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from payments import selectors
from payments.errors import FeeChanged, NotRefundable, TooLateToCancel
from payments.models import Payment
from payments.services.deadline import Deadline
from payments.services.refunds import begin_refund_of, settle_refund
from ticketing.core.event_loop import blocking
from ticketing.core.fast_path.threads import in_thread

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


def begin_cancellation(
    *, number: str, fan_id: int, fee: int, now: datetime
) -> tuple[Payment, bool]:
    """Commit the refund for `fee`, which the fan saw and agreed to; False for a repeat."""
    try:
        terms = cancellation_terms(number=number, fan_id=fan_id, now=now)
        if terms.fee != fee:
            raise FeeChanged(fee=terms.fee)
        if not terms.refund:
            raise NotRefundable()
        begun = begin_refund_of(
            terms.payment, terms.refund, fee=fee, frees_seats=True, for_fan=True, why=WHY, now=now
        )
    except NotRefundable:
        earlier = selectors.cancelled_payment(number=number, fan_id=fan_id, fee=fee, why=WHY)
        if earlier is None:
            raise
        return earlier, False
    return begun, True


async def acancel_order(*, number: str, fan_id: int, fee: int, now: datetime) -> Payment:
    """Cancel for `fee`, which the fan saw and agreed to. A repeat returns the first result."""
    whose: Any = {"number": number, "fan_id": fan_id}
    payment, is_new = await in_thread(begin_cancellation, **whose, fee=fee, now=now)
    if not is_new:
        return payment
    return await settle_refund(payment, Deadline(settings.PAYMENT_PATIENCE), now=now)


cancel_order = blocking(acancel_order)
