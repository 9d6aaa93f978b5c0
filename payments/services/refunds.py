"""Refunds: by an operator, for a fan who cancels, for a whole event, or automatic."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.conf import settings

from payments import selectors
from payments.errors import NotRefundable, TooMuchToRefund
from payments.gateways import Declined, GatewayError, GatewayPayment, gateway
from payments.models import Payment, Refund
from payments.saga import refund_steps, schedule
from payments.services.deadline import Deadline
from reservations.errors import TicketUsed
from ticketing.accounts.models import User
from ticketing.core.money import money

log = logging.getLogger(__name__)
LONGEST_PAUSE = 3600
BATCH = 20


def refund_payment(
    *,
    pk: int,
    why: str,
    now: datetime,
    by: User | None = None,
    amount: int | None = None,
    frees_seats: bool | None = None,
) -> Payment:
    """Refund all or a part; a full refund also releases the seats unless told otherwise."""
    payment = selectors.payment(pk)
    wanted = payment.left if amount is None else amount
    if not 0 < wanted <= payment.left:
        raise TooMuchToRefund(left=money(payment.left, payment.currency))
    frees = wanted == payment.left if frees_seats is None else frees_seats
    return begin_and_settle_refund(payment, wanted, why=why, by=by, frees_seats=frees, now=now)


def begin_and_settle_refund(
    payment: Payment,
    amount: int,
    *,
    why: str,
    now: datetime,
    frees_seats: bool,
    by: User | None = None,
    fee: int = 0,
    for_fan: bool = False,
) -> Payment:
    """Refund `amount` of the payment as the caller read it; NotRefundable if it has changed."""
    begun = refund_steps.begin(
        payment,
        amount,
        why=why,
        by=by.pk if by else None,
        fee=fee,
        frees_seats=frees_seats,
        for_fan=for_fan,
        now=now,
    )
    if begun is None:
        raise NotRefundable()
    return settle_refund(begun, Deadline(settings.PAYMENT_PATIENCE), now=now)


def refund_event(
    *,
    event_id: int,
    why: str,
    by: User | None,
    now: datetime,
    on_progress: Callable[[int], None] | None = None,
) -> int:
    """Refund every payment of an event, batch by batch; may be interrupted and called again."""
    done = 0
    while batch := refund_event_batch(event_id=event_id, why=why, by=by, now=now):
        done += batch
        if on_progress:
            on_progress(done)
    return done


def refund_event_batch(
    *, event_id: int, why: str, by: User | None, now: datetime, batch: int = BATCH
) -> int:
    """Begin some refunds of an event and return how many; each settles on its own."""
    paid = selectors.refundable_payments(event_id, now).values_list("pk", flat=True)[:batch]
    begun = 0
    for pk in list(paid):
        try:
            _refund_whole(pk, why, by, now)
        except (NotRefundable, TooMuchToRefund):
            continue  # it was refunded meanwhile
        begun += 1
    return begun


def _refund_whole(pk: int, why: str, by: User | None, now: datetime) -> Payment:
    """Holders of used tickets are refunded too; only their tickets stay as they are."""
    try:
        return refund_payment(pk=pk, why=why, by=by, frees_seats=True, now=now)
    except TicketUsed:
        return refund_payment(pk=pk, why=why, by=by, frees_seats=False, now=now)


def refund_cancelled_events(*, now: datetime) -> int:
    """Begin a batch of refunds of each cancelled event; the next call goes on."""
    events = selectors.cancelled_events_to_refund(now)
    why = "the event was cancelled"
    return sum(refund_event_batch(event_id=pk, why=why, by=None, now=now) for pk in events)


def settle_refund(payment: Payment, deadline: Deadline, *, now: datetime) -> Payment:
    """Fetch, refund if need be, fetch again: only what the gateway has refunded counts."""
    refund = selectors.open_refund(payment)
    if refund is None:
        return selectors.payment(payment.pk)
    refusal = None
    try:
        found = gateway().fetch(number=payment.number, timeout=deadline.timeout)
        if refund.before < found.refunded < refund.before + refund.amount:
            refund_steps.adjust_for_external(payment, found.refunded, now=now)
            refund.refresh_from_db()
        if not _is_refunded(refund, found) and not found.is_refund_pending:
            refusal = _request_refund(payment, refund, deadline)
            found = gateway().fetch(number=payment.number, timeout=deadline.timeout)
    except GatewayError as error:
        log.warning("the refund of %s is not settled yet: %s", payment, error.code)
        return _retry_later(payment, now)
    if _is_refunded(refund, found):
        refund_steps.finish(payment, found.refunded, now=now)
        return selectors.payment(payment.pk)
    answer = f"{refusal.code} {refusal.message}".strip() if refusal else ""
    if refusal is None or refund_steps.refuse(payment, answer, now=now) is None:
        return _retry_later(payment, now)
    return selectors.payment(payment.pk)


def _is_refunded(refund: Refund, found: GatewayPayment) -> bool:
    return found.refunded >= refund.before + refund.amount


def _request_refund(payment: Payment, refund: Refund, deadline: Deadline) -> Declined | None:
    """`refundable` prevents a second refund even if the gateway forgot the idempotency key."""
    try:
        gateway().refund(
            number=payment.number,
            amount=refund.amount,
            refundable=payment.charged - refund.before,
            reason=refund.why,
            key=str(refund.key),
            timeout=deadline.timeout,
        )
    except Declined as refusal:
        return refusal
    return None


def _retry_later(payment: Payment, now: datetime) -> Payment:
    schedule.retry_later(payment, now, first=2, longest=LONGEST_PAUSE)
    return selectors.payment(payment.pk)
