"""Settlements in the background of a process: many at once, in its event loop, without a thread.

A claimed payment belongs to the process for a lease. If the process dies, another claims it then.
"""

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError

from payments import locks, selectors
from payments.gateways import preload
from payments.models import Payment
from payments.services.cancellations import begin_cancellation
from payments.services.refunds import (
    arefund_approved_events,
    arefund_cancelled_events,
    begin_refund,
)
from payments.services.settlement import asettle_payment, record_operator_check, settle_payment
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.core.event_loop import start
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.slots import slot

log = logging.getLogger(__name__)
BATCH = 50
# A lease lasts longer than the longest settlement: its deadline, and the steps in the database.
LEASE_MARGIN = timedelta(seconds=4)
# A webhook usually overtakes the fan's own call, which then settles the payment: wait for it.
MOMENT_SECONDS = 0.3

_settling: set[int] = set()
_is_woken = False


def claim_due_payments(*, now: datetime, batch: int = BATCH) -> list[int]:
    """Claim payments that are due; no other process gets them before the lease ends."""
    lease = now + timedelta(seconds=settings.PORTONE_TIMEOUT) + LEASE_MARGIN
    return locks.claim_due_payments(now=now, lease=lease, batch=batch)


def start_due_settlements(*, now: datetime) -> int:
    """Claim what is due and start to settle it; returns how many, without waiting for them.

    While the breaker is open one payment at a time is the probe. The others stay due until it is
    closed, so that all are settled then.
    """
    room = settings.PORTONE_MAX_IN_FLIGHT - len(_settling)
    is_probe_due = selectors.is_probe_due()
    if is_probe_due is not None:
        room = min(room, int(is_probe_due))
    due = claim_due_payments(now=now, batch=room) if room > 0 else []
    if due:
        preload()  # in this thread: loading the SDK would stop the loop for seconds
    for pk in due:
        _settling.add(pk)
        start(_settle_claimed(pk))
    return len(due)


def wake_settlement() -> None:
    """Settle what is due in a moment; calls until then share it."""
    global _is_woken
    if not _is_woken:
        _is_woken = True
        start(_settle_in_a_moment())


def start_settlement(*, pk: int) -> None:
    """Settle a payment of which a step was just committed; if this process dies, its lease ends."""
    start(asettle_payment(pk=pk, now=clock.now()))


def start_refund(**wish: Any) -> Payment:
    """Begin a refund; the gateway is asked in the background."""
    payment = begin_refund(**wish)
    start_settlement(pk=payment.pk)
    return payment


def start_cancellation(**wish: Any) -> Payment:
    """Cancel for a fee which the fan saw and agreed to; the refund follows in the background."""
    payment, is_new = begin_cancellation(**wish)
    if is_new:
        start_settlement(pk=payment.pk)
    return payment


def start_refunds_of_cancelled_events(*, now: datetime) -> None:
    start(arefund_cancelled_events(now=now))
    start(arefund_approved_events(now=now))


def start_settlement_by_operator(*, pk: int, by: User, now: datetime) -> None:
    record_operator_check(pk=pk, by=by, now=now)
    start_settlement(pk=pk)


def settle_by_operator(*, pk: int, by: User | None, now: datetime) -> Payment:
    """The same for commands, which wait for the result."""
    record_operator_check(pk=pk, by=by, now=now)
    return settle_payment(pk=pk, now=now)


async def _settle_claimed(pk: int) -> None:
    try:
        async with slot():
            await asettle_payment(pk=pk, now=clock.now())
    except (OperationalError, InterfaceError) as outage:
        log.warning("payment %s is settled again after its lease: %s", pk, outage)
    finally:
        _settling.discard(pk)


async def _settle_in_a_moment() -> None:
    global _is_woken
    await asyncio.sleep(MOMENT_SECONDS)
    _is_woken = False
    await in_thread(start_due_settlements, now=clock.now())
