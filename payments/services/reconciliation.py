"""Compares our payments with the gateway's and with the seats, day by day."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any

from django.conf import settings
from django.db import transaction

from payments import selectors
from payments.gateways import GatewayError, GatewayPayment, gateway, preload
from payments.models import Payment
from payments.services.differences import Difference
from payments.services.settlement import record_operator_check
from reservations.models import Reservation
from ticketing.accounts.models import User
from ticketing.core.event_loop import blocking
from ticketing.core.fast_path.threads import in_thread

State = Payment.State
UNDER_WAY = (*Payment.OPEN, State.REFUNDING)
AT_ONCE = 10  # calls to the gateway
# Not settled for so long after it was due.
FORGOTTEN = timedelta(seconds=90)
# A confirmed reservation needs a payment in one of these states.
COVERING = (State.SUCCEEDED, State.PARTIALLY_REFUNDED, State.REFUNDING)


async def areconcile(
    *,
    day: date,
    now: datetime,
    mend: bool = False,
    on_progress: Callable[[int, int], Awaitable[None]] | None = None,
) -> list[Difference]:
    """The differences of a day, of payments and reservations; `mend` has the payments settled."""
    found: list[Difference] = []
    payments = await in_thread(_payments_of_day, day)
    for start in range(0, len(payments), AT_ONCE):
        few = payments[start : start + AT_ONCE]
        compared = await asyncio.gather(*(_amount_differences(payment, now) for payment in few))
        for payment, amounts in zip(few, compared, strict=True):
            differences = [*amounts, *_seat_differences(payment)]
            if differences and mend:
                await in_thread(mend_payment, number=payment.number, by=None, now=now)
            found += differences
        if on_progress:
            await on_progress(start + len(few), len(payments))
    unpaid = await in_thread(_unpaid_reservations, day)
    return found + unpaid + await _unknown_charges(day)


async def areconcile_earlier(*, day: date, since: datetime, now: datetime) -> list[Difference]:
    """The differences of payments begun before a day that the gateway changed later; mends them.

    After a restore: orders of any day may have been refunded since the backup.
    """
    found: list[Difference] = []
    begins, _end = selectors.day_bounds(day)
    if not settings.PORTONE_API_SECRET:
        return found
    await in_thread(preload)  # as for a day
    try:
        async for changed in _pages(since, now, by_change=True):
            for payment in await in_thread(selectors.payments_begun_before, begins, changed):
                differences = _kept_differences(payment, changed[payment.number])
                if differences:
                    await in_thread(mend_payment, number=payment.number, by=None, now=now)
                found += differences
    except GatewayError as error:
        found.append(Difference(day.isoformat(), "not_listed", {"code": error.code}))
    return found


def mend_payment(*, number: str, by: User | None, now: datetime) -> bool:
    """Have a payment settled again by the next worker; False if one is about to do it already."""
    with transaction.atomic():
        others = Payment.objects.filter(number=number).exclude(due_at__range=(now - FORGOTTEN, now))
        if not others.update(due_at=now):
            return False
        payment = Payment.objects.get(number=number)
        record_operator_check(pk=payment.pk, by=by, now=now)
    return True


def _payments_of_day(day: date) -> list[Payment]:
    preload()  # in this thread: loading the SDK would stop the loop for seconds
    return list(selectors.payments_of_day(day))


async def _amount_differences(payment: Payment, now: datetime) -> list[Difference]:
    if payment.state in UNDER_WAY:
        is_overdue = payment.due_at is not None and payment.due_at < now - FORGOTTEN
        waits_for_breaker = is_overdue and await in_thread(selectors.is_probe_due) is not None
        is_forgotten = payment.due_at is None or (is_overdue and not waits_for_breaker)
        forgotten = Difference(payment.number, "forgotten", {"payment": payment.state})
        return [forgotten] if is_forgotten else []
    try:
        found = await gateway().fetch(number=payment.number, timeout=settings.PORTONE_TIMEOUT)
    except GatewayError as error:
        return [Difference(payment.number, "not_compared", {"code": error.code})]
    return _kept_differences(payment, found)


def _kept_differences(payment: Payment, found: GatewayPayment) -> list[Difference]:
    if payment.state in UNDER_WAY:
        return []  # settled when it is due
    if payment.left == _kept(found):
        return []
    facts = {"ours": payment.left, "theirs": _kept(found), "currency": payment.currency}
    return [Difference(payment.number, "kept", facts)]


def _kept(found: GatewayPayment) -> int:
    """What the gateway charged and has not refunded."""
    was_charged = found.status in ("paid", "cancelled")
    return found.amount - found.refunded if was_charged else 0


def _seat_differences(payment: Payment) -> Iterator[Difference]:
    reservation = payment.reservation
    if payment.state == State.SUCCEEDED and reservation.state != Reservation.State.CONFIRMED:
        facts = {"order": reservation.code, "reservation": reservation.state}
        yield Difference(payment.number, "seats_gone", facts)


def _unpaid_reservations(day: date) -> list[Difference]:
    """Reservations that are confirmed though nobody paid."""
    confirmed = selectors.confirmed_of_day(day).exclude(payments__state__in=COVERING)
    return [Difference(reservation.code, "not_paid") for reservation in confirmed]


async def _unknown_charges(day: date) -> list[Difference]:
    """Charges that only the gateway knows; without an API secret nobody can pay there."""
    found: list[Difference] = []
    if not settings.PORTONE_API_SECRET:
        return found
    try:
        async for payments in _pages(*selectors.day_bounds(day)):
            for number in sorted(await in_thread(selectors.unknown_numbers, payments)):
                one = payments[number]
                is_test = one.is_test and not settings.PORTONE_TAKES_TEST  # moved no money
                if (kept := _kept(one)) and not is_test:
                    facts = {"theirs": kept, "currency": one.currency}
                    found.append(Difference(number, "unheard_of", facts))
    except GatewayError as error:
        found.append(Difference(day.isoformat(), "not_listed", {"code": error.code}))
    return found


async def _pages(
    since: datetime, until: datetime, *, by_change: bool = False
) -> AsyncIterator[dict[str, GatewayPayment]]:
    span: Any = {"since": since, "until": until, "by_change": by_change}
    for number in count():
        page = await gateway().list_payments(**span, page=number, timeout=settings.PORTONE_TIMEOUT)
        yield page.payments
        if page.is_last:
            return


reconcile = blocking(areconcile)
reconcile_earlier = blocking(areconcile_earlier)
