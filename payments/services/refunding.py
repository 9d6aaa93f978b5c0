"""Money goes back: by an operator, by the fan's wish, for a whole event, or because it is owed."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from payments import saga, selectors
from payments.errors import NotRefundable, TooMuchToRefund
from payments.gateways import Declined, Picture, Trouble, gateway
from payments.models import Payment, Refund
from payments.services.patience import Patience
from reservations.errors import TicketUsed
from ticketing.accounts.models import User
from ticketing.core.money import money

State = Payment.State
log = logging.getLogger(__name__)
LONGEST_PAUSE = 3600
BATCH = 20


def refund(
    *,
    pk: int,
    why: str,
    now: datetime,
    by: User | None = None,
    amount: int | None = None,
    frees_seats: bool | None = None,
) -> Payment:
    """Give back all, or a part; with all of it the seats go back on sale, too."""
    payment = selectors.payment(pk)
    wanted = payment.left if amount is None else amount
    if not 0 < wanted <= payment.left:
        raise TooMuchToRefund(left=money(payment.left, payment.currency))
    frees = wanted == payment.left if frees_seats is None else frees_seats
    return give_back(payment, wanted, why=why, by=by, frees_seats=frees, now=now)


def give_back(
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
    """Decided by the payment as it was seen: if some of it went back meanwhile, nothing happens."""
    begun = saga.begin_refund(
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
    return settle_refund(begun, Patience(settings.PAYMENT_PATIENCE), now=now)


def refund_event(
    *,
    event_id: int,
    why: str,
    by: User | None,
    now: datetime,
    tell: Callable[[int], None] | None = None,
) -> int:
    """Everybody gets everything back, batch by batch. Whoever is cut short calls it again."""
    done = 0
    while batch := refund_event_batch(event_id=event_id, why=why, by=by, now=now):
        done += batch
        if tell:
            tell(done)
    return done


def refund_event_batch(
    *, event_id: int, why: str, by: User | None, now: datetime, batch: int = BATCH
) -> int:
    """How many were begun; each is a saga of its own, and settles by itself."""
    paid = selectors.refundable_payments(event_id, now).values_list("pk", flat=True)[:batch]
    begun = 0
    for pk in list(paid):
        try:
            _refund_whole(pk, why, by, now)
        except (NotRefundable, TooMuchToRefund):
            continue  # somebody was faster
        begun += 1
    return begun


def _refund_whole(pk: int, why: str, by: User | None, now: datetime) -> Payment:
    """Who was inside already gets the money, too; only their tickets stay what they are."""
    try:
        return refund(pk=pk, why=why, by=by, frees_seats=True, now=now)
    except TicketUsed:
        return refund(pk=pk, why=why, by=by, frees_seats=False, now=now)


def refund_cancelled_events(*, now: datetime) -> int:
    """A batch of each event that will not take place; the next call goes on."""
    events = selectors.cancelled_events_with_money(now)
    terms: Any = {"why": "the event was cancelled", "by": None}
    return sum(refund_event_batch(event_id=pk, now=now, **terms) for pk in events)


def settle_refund(payment: Payment, patience: Patience, *, now: datetime) -> Payment:
    """Look, ask if need be, look again: what the gateway gave back counts, not what it said."""
    refund = selectors.open_refund(payment)
    if refund is None:
        return selectors.payment(payment.pk)
    refusal = None
    try:
        picture = gateway().look(number=payment.number, seconds=patience.left)
        if refund.before < picture.cancelled < refund.before + refund.amount:
            saga.restate_refund(payment, picture.cancelled, now=now)
            refund.refresh_from_db()
        if not _is_back(refund, picture) and not picture.is_cancelling:
            refusal = _asked_or_refused(payment, refund, picture, patience)
            picture = gateway().look(number=payment.number, seconds=patience.left)
    except Trouble as trouble:
        log.warning("refund of %s is not known yet: %s", payment, trouble.code)
        return _look_again(payment, now)
    if _is_back(refund, picture):
        saga.finish_refund(payment, picture.cancelled, now=now)
    elif refusal is None or saga.refuse_refund(payment, _words(refusal), now=now) is None:
        return _look_again(payment, now)
    return selectors.payment(payment.pk)


def _is_back(refund: Refund, picture: Picture) -> bool:
    return picture.cancelled >= refund.before + refund.amount


def _asked_or_refused(
    payment: Payment, refund: Refund, picture: Picture, patience: Patience
) -> Declined | None:
    """`left` guards against a second refund, even if every key were forgotten."""
    try:
        gateway().refund(
            number=payment.number,
            amount=refund.amount,
            left=payment.charged - refund.before,
            why=refund.why,
            key=str(refund.key),
            seconds=patience.left,
        )
    except Declined as refusal:
        return refusal
    return None


def _look_again(payment: Payment, now: datetime) -> Payment:
    pause = timedelta(seconds=min(2 ** min(payment.attempts + 1, 12), LONGEST_PAUSE))
    saga.look_at(payment, now + pause)
    return selectors.payment(payment.pk)


def _words(refusal: Declined) -> str:
    return f"{refusal.code} {refusal.words}".strip()
