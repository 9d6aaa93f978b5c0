"""Refunds: by an operator, for a fan who cancels, for a whole event, or automatic."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.conf import settings

from payments import selectors
from payments.errors import NotRefundable, TooMuchToRefund
from payments.gateways import BREAKER_OPEN, Declined, GatewayError, GatewayPayment, gateway
from payments.live.changes import publish_change
from payments.models import Payment, Refund
from payments.saga import refund_steps, schedule
from payments.services.deadline import Deadline
from reservations.errors import TicketUsed
from ticketing.accounts.models import User
from ticketing.core.event_loop import blocking
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.money import money
from ticketing.events.models import Approval
from ticketing.events.services import finish_approval, require_approval

log = logging.getLogger(__name__)
LONGEST_PAUSE = 3600
BATCH = 20


def begin_refund(
    *,
    pk: int,
    why: str,
    now: datetime,
    by: User | None = None,
    amount: int | None = None,
    frees_seats: bool | None = None,
) -> Payment:
    """Commit a refund of all or a part, without asking the gateway.

    A full refund also releases the seats unless told otherwise.
    """
    payment = selectors.payment(pk)
    wanted = payment.left if amount is None else amount
    if not 0 < wanted <= payment.left:
        raise TooMuchToRefund(left=money(payment.left, payment.currency))
    frees = wanted == payment.left if frees_seats is None else frees_seats
    return begin_refund_of(payment, wanted, why=why, by=by, frees_seats=frees, now=now)


def begin_refund_of(
    payment: Payment, amount: int, *, by: User | None = None, **fields: Any
) -> Payment:
    """Refund `amount` of the payment as the caller read it; NotRefundable if it has changed."""
    begun = refund_steps.begin(payment, amount, by=by.pk if by else None, **fields)
    if begun is None:
        raise NotRefundable()
    return begun


async def arefund_payment(**wish: Any) -> Payment:
    """Refund all or a part; REFUNDING means that a worker goes on."""
    payment = await in_thread(begin_refund, **wish)
    return await settle_refund(payment, Deadline(settings.PAYMENT_PATIENCE), now=wish["now"])


def refund_event(
    *,
    event_id: int,
    why: str,
    by: User | None,
    now: datetime,
    on_progress: Callable[[int], None] | None = None,
) -> int:
    """Refund every payment of an event, batch by batch; may be interrupted and called again.

    It may need a second person; after the approval the worker does it (`arefund_approved_events`).
    """
    action, wish = Approval.Action.REFUND_EVENT, {"refund": "all"}
    require_approval(action=action, event_id=event_id, wish=wish, by=by, why=why, now=now)
    done = 0
    while batch := refund_event_batch(event_id=event_id, why=why, by=by, now=now):
        done += batch
        if on_progress:
            on_progress(done)
    return done


async def arefund_event_batch(
    *, event_id: int, why: str, by: User | None, now: datetime, batch: int = BATCH
) -> int:
    """Begin some refunds of an event, settle them at the same time, and return how many."""
    begun = await in_thread(_begin_batch, event_id, why, by, now, batch)
    deadline = Deadline(settings.PAYMENT_PATIENCE)
    await asyncio.gather(*(settle_refund(payment, deadline, now=now) for payment in begun))
    return len(begun)


def _begin_batch(
    event_id: int, why: str, by: User | None, now: datetime, batch: int
) -> list[Payment]:
    paid = selectors.refundable_payments(event_id, now).values_list("pk", flat=True)[:batch]
    begun = []
    for pk in list(paid):
        with suppress(NotRefundable, TooMuchToRefund):  # it was refunded meanwhile
            begun.append(_begin_whole(pk, why, by, now))
    return begun


def _begin_whole(pk: int, why: str, by: User | None, now: datetime) -> Payment:
    """Holders of used tickets are refunded too; only their tickets stay as they are.

    Fees of seats that were cancelled before stay kept, as they do for orders cancelled before.
    """
    amount = selectors.payment(pk).paid_for_seats
    whole: Any = {"pk": pk, "amount": amount, "why": why, "by": by, "now": now}
    try:
        return begin_refund(**whole, frees_seats=True)
    except TicketUsed:
        return begin_refund(**whole, frees_seats=False)


async def arefund_cancelled_events(*, now: datetime) -> int:
    """Begin a batch of refunds of each cancelled event; the next call goes on."""
    events = await in_thread(selectors.cancelled_events_to_refund, now)
    why = "the event was cancelled"
    batches = [arefund_event_batch(event_id=pk, why=why, by=None, now=now) for pk in events]
    return sum(await asyncio.gather(*batches))


async def arefund_approved_events(*, now: datetime) -> int:
    """Begin a batch of the refunds that a second person approved; the next call goes on."""
    approvals = await in_thread(selectors.approved_refunds)
    done = 0
    for approval in approvals:
        batch = await arefund_event_batch(
            event_id=approval.event_id, why=approval.why, by=approval.asked_by, now=now
        )
        if not batch and not await in_thread(selectors.has_refunds_under_way, approval.event_id):
            await in_thread(finish_approval, approval_id=approval.pk, now=now)
        done += batch
    return done


async def settle_refund(payment: Payment, deadline: Deadline, *, now: datetime) -> Payment:
    """Fetch, refund if need be, fetch again: only what the gateway has refunded counts."""
    was = payment.state
    refund = await in_thread(selectors.open_refund, payment)
    if refund is None:
        return await in_thread(selectors.payment, payment.pk)
    refusal = None
    try:
        found = await gateway().fetch(number=payment.number, timeout=deadline.timeout)
        if refund.before < found.refunded < refund.before + refund.amount:
            await in_thread(_adjust_for_external, payment, refund, found.refunded, now)
        if not _is_refunded(refund, found) and not found.is_refund_pending:
            refusal = await _request_refund(payment, refund, deadline)
            found = await gateway().fetch(number=payment.number, timeout=deadline.timeout)
    except GatewayError as error:
        log.warning("the refund of %s is not settled yet: %s", payment, error.code)
        return await in_thread(_retry_later, payment, now, error)
    settled = await in_thread(_finish_or_refuse, payment, refund, found, refusal, now)
    await publish_change(settled, was=was)
    return settled


def _adjust_for_external(payment: Payment, refund: Refund, refunded: int, now: datetime) -> None:
    refund_steps.adjust_for_external(payment, refunded, now=now)
    refund.refresh_from_db()


def _finish_or_refuse(
    payment: Payment,
    refund: Refund,
    found: GatewayPayment,
    refusal: Declined | None,
    now: datetime,
) -> Payment:
    if _is_refunded(refund, found):
        refund_steps.finish(payment, found.refunded, now=now)
        return selectors.payment(payment.pk)
    answer = f"{refusal.code} {refusal.message}".strip() if refusal else ""
    if refusal is None or refund_steps.refuse(payment, answer, now=now) is None:
        return _retry_later(payment, now)
    return selectors.payment(payment.pk)


def _is_refunded(refund: Refund, found: GatewayPayment) -> bool:
    return found.refunded >= refund.before + refund.amount


async def _request_refund(payment: Payment, refund: Refund, deadline: Deadline) -> Declined | None:
    """`refundable` prevents a second refund even if the gateway lost the idempotency key."""
    try:
        await gateway().refund(
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


def _retry_later(payment: Payment, now: datetime, error: GatewayError | None = None) -> Payment:
    is_paused = error is not None and error.code == BREAKER_OPEN
    longest = schedule.BREAKER_PAUSE if is_paused else LONGEST_PAUSE
    schedule.retry_later(payment, now, first=2, longest=longest)
    return selectors.payment(payment.pk)


refund_payment = blocking(arefund_payment)
refund_event_batch = blocking(arefund_event_batch)
refund_cancelled_events = blocking(arefund_cancelled_events)
refund_approved_events = blocking(arefund_approved_events)
