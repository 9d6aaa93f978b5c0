"""The cancellation fee of a ticket: free soon after the order, then rising towards the show."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.utils.timezone import localtime

from payments.models import Payment, RefundPolicy
from ticketing.core.prepared_queries import PreparedQuery
from ticketing.events.models import Event


@dataclass(frozen=True)
class FeeRate:
    """What is kept of each ticket: a percentage, or an amount but at most the percentage."""

    percent: int
    amount: int | None = None

    def fee(self, price: int) -> int:
        """Rounded down, in the fan's favour."""
        share = price * self.percent // 100
        return share if self.amount is None else min(share, self.amount)


FREE = FeeRate(0)


@dataclass(frozen=True)
class FeePeriod:
    """Before `until`, cancelling costs `rate`."""

    until: datetime
    rate: FeeRate

    @property
    def last(self) -> datetime:
        """The last moment of the period, whose date is shown to people."""
        return self.until - timedelta(microseconds=1)

    @property
    def is_whole_day(self) -> bool:
        return localtime(self.until).time() == time.min


def policy_of(event_id: int) -> RefundPolicy:
    """The event's own cancellation terms, or the default ones."""
    return _POLICY.first(event=event_id) or RefundPolicy(event_id=event_id)


_POLICY = PreparedQuery(lambda it: RefundPolicy.objects.filter(event_id=it("event")))


def policy_of_payment(payment: Payment) -> RefundPolicy:
    """The terms that the fan agreed to; of very old orders, those of today."""
    if payment.terms is None:
        return policy_of(payment.reservation.event_id)
    return RefundPolicy(event_id=payment.reservation.event_id, **payment.terms)


def fee_rate(
    *, policy: RefundPolicy, event: Event, ordered_at: datetime, now: datetime
) -> FeeRate | None:
    """What is kept of each ticket, None if it is too late. Days are calendar days in local time."""
    if event.state == Event.State.CANCELLED:
        return FREE
    days = (localtime(event.starts_at).date() - localtime(now).date()).days
    tiers = [tier for tier in policy.tiers if days >= tier[0]]
    if now >= event.starts_at or not tiers:
        return None
    is_far = days >= max(tier[0] for tier in policy.tiers)
    if is_far and now <= ordered_at + timedelta(days=policy.free_days):
        return FREE
    if days > policy.near_days and now <= ordered_at + timedelta(hours=policy.free_hours):
        return FREE
    return FeeRate(*max(tiers)[1:])


def fee_periods(
    *, policy: RefundPolicy, event: Event, ordered_at: datetime, now: datetime
) -> list[FeePeriod]:
    """The same as dates, from now on; after the last period nothing can be cancelled."""
    periods: list[FeePeriod] = []
    changes = sorted({min(each, event.starts_at) for each in _changes(policy, event, ordered_at)})
    for until in changes:
        if until <= now:
            continue
        last = until - timedelta(microseconds=1)
        rate = fee_rate(policy=policy, event=event, ordered_at=ordered_at, now=last)
        if rate is None:
            continue
        if periods and periods[-1].rate == rate:
            periods.pop()
        periods.append(FeePeriod(until, rate))
    return periods


def _changes(policy: RefundPolicy, event: Event, ordered_at: datetime) -> Iterator[datetime]:
    """Every moment at which the fee may change."""
    yield ordered_at + timedelta(days=policy.free_days)
    yield ordered_at + timedelta(hours=policy.free_hours)
    show = localtime(event.starts_at)
    for days in (policy.near_days + 1, *(tier[0] for tier in policy.tiers)):
        yield _day_end(show, days)


def _day_end(show: datetime, days_before: int) -> datetime:
    """Midnight after the day that many days before the show."""
    day = show.date() - timedelta(days=days_before - 1)
    return datetime.combine(day, time.min, tzinfo=show.tzinfo)
