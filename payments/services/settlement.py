"""Settlement: ask the gateway about a payment, and bring our rows to what it says.

The fan's own call, a webhook, the clock and an operator all come through here. Only the gateway's
state decides, so it does not matter who is first, how often it happens, or in which order.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings

from payments import selectors
from payments.gateways import BREAKER_OPEN, Declined, GatewayError, GatewayPayment, gateway
from payments.live.changes import publish_change
from payments.models import Payment
from payments.saga import payment_steps, refund_steps, schedule
from payments.services.deadline import Deadline
from payments.services.refunds import settle_refund
from ticketing.accounts.models import User
from ticketing.core.event_loop import blocking
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.logs.context import log_ids

State = Payment.State
log = logging.getLogger(__name__)
LONGEST_PAUSE = 300
# While a charge may still be sent again, somebody waits for the result. Workers come every two
# seconds, so it is known well within ten seconds after the gateway knows it.
LONGEST_PAUSE_OF_CHARGE = 5
# For this long a charge that the gateway does not know is sent again, with the same key. Later none
# of our calls can still be under way, and nobody waits for the result.
CHARGE_AGAIN = timedelta(minutes=5)


async def asettle_payment(*, pk: int, now: datetime) -> Payment:
    """Continue a payment from its present state. Safe at any time, for any caller."""
    payment = await in_thread(selectors.payment, pk)
    event_id = payment.reservation.event_id
    with log_ids(payment=pk, reservation=payment.reservation_id, event=event_id):
        return await _settle(payment, now)


async def _settle(payment: Payment, now: datetime) -> Payment:
    deadline = Deadline(settings.PORTONE_TIMEOUT)
    if payment.state == State.REFUNDING:
        return await settle_refund(payment, deadline, now=now)
    try:
        found = await gateway().fetch(number=payment.number, timeout=deadline.timeout)
    except GatewayError as error:
        return await in_thread(_retry_later, payment, now, error)
    if payment.state == State.CHARGING and found.status == "unpaid" and _may_charge(payment, now):
        return await charge_and_settle(payment, deadline, now=now)
    return await settle_as(payment, found, now=now)


async def charge_and_settle(payment: Payment, deadline: Deadline, *, now: datetime) -> Payment:
    """Charge, then fetch; a refusal counts only if the gateway then knows of no charge."""
    refusal = None
    try:
        if gateway().charges_by_server:
            refusal = await _charge(payment, deadline)
        found = await gateway().fetch(number=payment.number, timeout=deadline.timeout)
    except GatewayError as error:
        return await in_thread(_retry_later, payment, now, error)
    if refusal and found.status == "unpaid":
        found = GatewayPayment("failed", failure_code=refusal.code, failure_message=refusal.message)
    return await settle_as(payment, found, now=now)


async def settle_as(payment: Payment, found: GatewayPayment, *, now: datetime) -> Payment:
    """Move payment, seats and messages to what the gateway says, and push it to open pages."""
    was = payment.state
    if payment.is_open and found.status == "paid" and not _refund_reason(payment, found):
        moved = await payment_steps.succeed(payment, found, now=now)
    else:
        moved = await in_thread(_apply_gateway_state, payment, found, now)
    if moved is None:
        moved = await in_thread(selectors.payment, payment.pk)
    elif not Payment.reservation.is_cached(moved):  # the event loop can't read it later
        moved.reservation = payment.reservation
    await publish_change(moved, was=was)
    return moved


def _apply_gateway_state(payment: Payment, found: GatewayPayment, now: datetime) -> Payment | None:
    """By the state that the payment was read in; all but a success."""
    if payment.is_open:
        return _apply_to_open(payment, found, now)
    if payment.state in (State.FAILED, State.CANCELLED):
        return _apply_to_ended(payment, found, now)
    return _apply_to_paid(payment, found, now)


def record_operator_check(*, pk: int, by: User | None, now: datetime) -> None:
    """The timeline names the operator who has a payment settled now instead of when it is due."""
    payment = selectors.payment(pk)
    state = payment.state
    payment.steps.create(at=now, before=state, after=state, note="checked by an operator", by=by)


async def _charge(payment: Payment, deadline: Deadline) -> Declined | None:
    try:
        await gateway().charge(
            number=payment.number,
            token=payment.payment_token,
            amount=payment.amount,
            currency=payment.currency,
            timeout=deadline.timeout,
        )
    except Declined as refusal:
        return refusal
    return None


def _apply_to_open(payment: Payment, found: GatewayPayment, now: datetime) -> Payment | None:
    match found.status:
        case "paid":
            log.error("%s: charged otherwise than ordered: %s", payment, found)
            reason = _refund_reason(payment, found)
            return payment_steps.auto_refund(payment, found, reason, now=now)
        case "failed":
            code = found.failure_code or "declined"
            return payment_steps.fail(payment, code, found.failure_message, now=now)
        case "cancelled":
            code = "cancelled at the gateway"
            return payment_steps.fail(payment, code, found.failure_message, now=now)
        case "unpaid" if payment.state == State.CHARGING and not _may_charge(payment, now):
            return payment_steps.fail(payment, "never charged", "", now=now)
        case "unpaid" if payment.state != State.CHARGING and payment.reservation.deadline <= now:
            return payment_steps.cancel_unpaid(payment, "not paid in time", now=now)
    return _retry_later(payment, now)


def _apply_to_ended(payment: Payment, found: GatewayPayment, now: datetime) -> Payment | None:
    """Failed or cancelled before: a late charge is refunded."""
    if found.status == "paid":
        return payment_steps.auto_refund(payment, found, "charged too late", now=now)
    if found.status == "pending":
        return _retry_later(payment, now)
    schedule.settle_at(payment, schedule.next_late_charge_check(payment, now))
    return None


def _apply_to_paid(payment: Payment, found: GatewayPayment, now: datetime) -> Payment | None:
    """Nothing is left to do, unless somebody refunded at the gateway itself."""
    if found.is_refund_pending:
        return _retry_later(payment, now)
    if found.refunded > payment.refunded and payment.state in selectors.PAID:
        return refund_steps.record_external(payment, found.refunded, now=now)
    schedule.settle_at(payment, None)
    return None


def _retry_later(payment: Payment, now: datetime, error: GatewayError | None = None) -> Payment:
    """The outcome is not known yet: keep the seats, and settle again later."""
    if error:
        log.warning("%s is not settled yet: %s %s", payment, error.code, error.message)
    is_unpaid = payment.state in (State.PENDING, State.PREPARED)
    not_before = payment.reservation.deadline if is_unpaid else None
    longest = LONGEST_PAUSE
    if error is not None and error.code == BREAKER_OPEN:
        longest = schedule.BREAKER_PAUSE
    elif payment.state == State.CHARGING and _may_charge(payment, now):
        longest = LONGEST_PAUSE_OF_CHARGE
    schedule.retry_later(payment, now, longest=longest, not_before=not_before)
    return selectors.payment(payment.pk)


def _may_charge(payment: Payment, now: datetime) -> bool:
    return now < (payment.charging_at or now) + CHARGE_AGAIN


def _refund_reason(payment: Payment, found: GatewayPayment) -> str:
    """Why a charge does not buy the seats; empty if it is as ordered.

    A test channel moves no money, and the payer's browser names the channel.
    """
    if found.is_test and not settings.PORTONE_TAKES_TEST:
        return "paid through a test channel"
    charged = (found.amount, found.currency, found.refunded)
    is_as_ordered = charged == (payment.amount, payment.currency, 0)
    return "" if is_as_ordered else "another amount was charged"


settle_payment = blocking(asettle_payment)
