"""What became of a payment: the gateway is asked, and what it says is written down.

Everybody comes this way: the fan's own click, a webhook, the clock, an operator. Only the gateway's
own picture decides, so it does not matter who comes first, how often, or in which order.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings

from payments import locks, saga, selectors
from payments.gateways import Declined, Picture, Trouble, gateway
from payments.models import Payment
from payments.services.patience import Patience
from payments.services.refunding import settle_refund
from ticketing.accounts.models import User

State = Payment.State
log = logging.getLogger(__name__)
BATCH = 50
LONGEST_PAUSE = 300
# So long a charge that the gateway does not know of is asked for again, with the same key. Later no
# call of ours can still be on its way, and nobody waits for it any more.
CHARGE_AGAIN = timedelta(minutes=5)


def claim_due_payments(*, now: datetime, batch: int = BATCH) -> list[int]:
    """Payments that somebody has to look at; nobody else gets them before the lease ends."""
    return locks.claim_due(now=now, lease=now + saga.LEASE, batch=batch)


def settle(*, pk: int, now: datetime) -> Payment:
    """Go on with a payment from wherever it stands. Safe at any time, for anybody."""
    payment = selectors.payment(pk)
    patience = Patience(settings.PORTONE_TIMEOUT)
    if payment.state == State.REFUNDING:
        return settle_refund(payment, patience, now=now)
    try:
        picture = gateway().look(number=payment.number, seconds=patience.left)
    except Trouble as trouble:
        return _look_again(payment, trouble, now)
    if payment.state == State.CHARGING and picture.word == "unpaid" and _may_charge(payment, now):
        return charge_and_settle(payment, patience, now=now)
    return write_down(payment, picture, now=now)


def resume_by_operator(*, pk: int, by: User | None, now: datetime) -> Payment:
    """An operator has it looked at now; the timeline says who."""
    payment = selectors.payment(pk)
    saga.note(payment, "looked at by hand", by=by, now=now)
    return settle(pk=pk, now=now)


def charge_and_settle(payment: Payment, patience: Patience, *, now: datetime) -> Payment:
    """Charge, then look; a refusal counts only if the gateway then knows of no charge."""
    try:
        refusal = _charged_or_refused(payment, patience)
        picture = gateway().look(number=payment.number, seconds=patience.left)
    except Trouble as trouble:
        return _look_again(payment, trouble, now)
    if refusal and picture.word == "unpaid":
        picture = Picture("failed", code=refusal.code, words=refusal.words)
    return write_down(payment, picture, now=now)


def write_down(payment: Payment, picture: Picture, *, now: datetime) -> Payment:
    """Move payment, seats and messages to what the gateway's picture says."""
    if payment.is_open:
        moved = _decide_open(payment, picture, now)
    elif payment.state in (State.FAILED, State.CANCELLED):
        moved = _decide_ended(payment, picture, now)
    else:
        moved = _decide_paid(payment, picture, now)
    return moved or selectors.payment(payment.pk)


def _decide_open(payment: Payment, picture: Picture, now: datetime) -> Payment | None:
    match picture.word:
        case "paid" if _is_as_ordered(payment, picture):
            return saga.succeed(payment, picture, now=now)
        case "paid":
            log.error("%s: not charged as ordered, but %s", payment, picture)
            return saga.owe_back(payment, picture, _what_differs(picture), now=now)
        case "failed":
            return saga.fail(payment, picture.code or "declined", picture.words, now=now)
        case "cancelled":
            return saga.fail(payment, "cancelled at the gateway", picture.words, now=now)
        case "unpaid" if payment.state == State.CHARGING and not _may_charge(payment, now):
            return saga.fail(payment, "never charged", "", now=now)
        case "unpaid" if payment.state != State.CHARGING and _is_overdue(payment, now):
            return saga.give_up(payment, "not paid in time", now=now)
    return _look_again(payment, None, now)


def _decide_ended(payment: Payment, picture: Picture, now: datetime) -> Payment | None:
    """It had failed, or was given up: a charge that came late goes back."""
    if picture.word == "paid":
        return saga.owe_back(payment, picture, "charged too late", now=now)
    if picture.word == "pending":
        return _look_again(payment, None, now)
    ended = payment.settled_at or payment.created_at
    later = [ended + look for look in saga.LAST_LOOKS if ended + look > now]
    saga.look_at(payment, min(later, default=None))
    return None


def _decide_paid(payment: Payment, picture: Picture, now: datetime) -> Payment | None:
    """Nothing is left to do, unless somebody refunds at the gateway itself."""
    if picture.is_cancelling:
        return _look_again(payment, None, now)
    if picture.cancelled > payment.refunded and payment.state in selectors.PAID:
        return saga.write_refund(payment, picture.cancelled, now=now)
    saga.look_at(payment, None)
    return None


def _charged_or_refused(payment: Payment, patience: Patience) -> Declined | None:
    """The server triggers the charge only where the channel has it so."""
    if not gateway().charges_by_server:
        return None
    try:
        gateway().charge(
            number=payment.number,
            token=payment.payment_token,
            amount=payment.amount,
            currency=payment.currency,
            seconds=patience.left,
        )
    except Declined as refusal:
        return refusal
    return None


def _look_again(payment: Payment, trouble: Trouble | None, now: datetime) -> Payment:
    """Nothing is known yet: the seats are kept, and somebody looks again, less and less often."""
    if trouble:
        log.warning("%s is not known yet: %s %s", payment, trouble.code, trouble.words)
    pause = timedelta(seconds=min(2 ** min(payment.attempts, 10), LONGEST_PAUSE))
    due = now + pause
    if payment.state in (State.PENDING, State.PREPARED):
        due = max(due, payment.reservation.deadline)
    saga.look_at(payment, due)
    return selectors.payment(payment.pk)


def _may_charge(payment: Payment, now: datetime) -> bool:
    return now < (payment.charging_at or now) + CHARGE_AGAIN


def _is_overdue(payment: Payment, now: datetime) -> bool:
    return payment.reservation.deadline <= now


def _what_differs(picture: Picture) -> str:
    is_play = picture.is_test and not settings.PORTONE_TAKES_TEST
    return "paid through a test channel" if is_play else "another amount was charged"


def _is_as_ordered(payment: Payment, picture: Picture) -> bool:
    """Amount and currency, nothing went back yet, and it is money: browsers name the channel."""
    if picture.is_test and not settings.PORTONE_TAKES_TEST:
        return False
    charged = (picture.amount, picture.currency, picture.cancelled)
    return charged == (payment.amount, payment.currency, 0)
