"""The cancellation fee: free soon after the order, then rising as the show approaches."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.utils.timezone import localtime

from payments.models import RefundPolicy
from ticketing.events.models import Event


@dataclass(frozen=True)
class FeePeriod:
    """Before `until`, cancelling costs `percent` of what was paid."""

    until: datetime
    percent: int

    @property
    def last(self) -> datetime:
        """The last moment of the period, whose date is shown to people."""
        return self.until - timedelta(microseconds=1)

    @property
    def is_whole_day(self) -> bool:
        return localtime(self.until).time() == time.min


def policy_of(event_id: int) -> RefundPolicy:
    """The event's own cancellation terms, or the default ones."""
    return RefundPolicy.objects.filter(event_id=event_id).first() or RefundPolicy(event_id=event_id)


def fee_percent(
    *, policy: RefundPolicy, event: Event, ordered_at: datetime, now: datetime
) -> int | None:
    """The share that is kept, None if it is too late. Days are calendar days in local time."""
    if event.state == Event.State.CANCELLED:
        return 0
    days = (localtime(event.starts_at).date() - localtime(now).date()).days
    tiers = [(least, percent) for least, percent in policy.tiers if days >= least]
    if now >= event.starts_at or not tiers:
        return None
    is_far = days >= max(least for least, _ in policy.tiers)
    if is_far and now <= ordered_at + timedelta(days=policy.free_days):
        return 0
    return int(max(tiers)[1])


def fee_periods(
    *, policy: RefundPolicy, event: Event, ordered_at: datetime, now: datetime
) -> list[FeePeriod]:
    """The same as dates, from now on; after the last period nothing can be cancelled."""
    periods = [FeePeriod(_tier_end(event, least), percent) for least, percent in policy.tiers]
    if periods:
        free = min(ordered_at + timedelta(days=policy.free_days), periods[0].until)
        periods = [FeePeriod(free, 0), *(period for period in periods if period.until > free)]
    return [period for period in periods if period.until > now]


def _tier_end(event: Event, days_before: int) -> datetime:
    """Midnight after the day that many days before the show, or the start of the show."""
    day = localtime(event.starts_at).date() - timedelta(days=days_before - 1)
    midnight = datetime.combine(day, time.min, tzinfo=localtime(event.starts_at).tzinfo)
    return min(midnight, event.starts_at)
