"""When a payment is settled next. Workers claim payments by `due_at`."""

from datetime import datetime, timedelta

from payments.models import Payment

# How long a refund that was just begun belongs to the process that began it.
LEASE = timedelta(seconds=12)
# A worker settles a charge this long after the browser's own call has given up.
GRACE = timedelta(seconds=2)
# After a call that the breaker did not let out: workers claim only the probe until it is closed.
BREAKER_PAUSE = 1
# A failed or cancelled payment is checked again this long after its end: a charge may come late.
LATE_CHARGE_CHECKS = (timedelta(minutes=10), timedelta(hours=1), timedelta(days=1))


def settle_at(payment: Payment, due: datetime | None) -> None:
    """Schedule the next settlement, unless the payment has moved or was rescheduled meanwhile."""
    as_read = {"state": payment.state, "due_at": payment.due_at}
    Payment.objects.filter(pk=payment.pk, **as_read).update(due_at=due)


def settle_soon(number: str, now: datetime) -> None:
    """Have the next worker settle this payment."""
    Payment.objects.filter(number=number).update(due_at=now)


def retry_later(
    payment: Payment,
    now: datetime,
    *,
    first: int = 1,
    longest: int,
    not_before: datetime | None = None,
) -> None:
    """Schedule another settlement after `first` seconds, then twice as long, up to `longest`."""
    pause = timedelta(seconds=min(first * 2 ** min(payment.attempts, 12), longest))
    settle_at(payment, max(now + pause, not_before or now))


def next_late_charge_check(payment: Payment, now: datetime) -> datetime | None:
    ended = payment.settled_at or payment.created_at
    checks = [ended + after for after in LATE_CHARGE_CHECKS if ended + after > now]
    return min(checks, default=None)
