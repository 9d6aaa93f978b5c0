"""What cancelling costs: free soon after the order, then more as the show nears."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.utils.timezone import localtime

from payments.models import RefundPolicy
from ticketing.events.models import Event


@dataclass(frozen=True)
class Terms:
    """`percent` is None when it is too late."""

    percent: int | None

    def fee(self, amount: int) -> int:
        """Rounded down, for the fan."""
        return amount * (self.percent or 0) // 100


@dataclass(frozen=True)
class Step:
    """Before that moment, giving back costs so much."""

    until: datetime
    percent: int

    @property
    def last(self) -> datetime:
        """The last moment of it, whose day people write down."""
        return self.until - timedelta(microseconds=1)

    @property
    def is_whole_day(self) -> bool:
        return localtime(self.until).time() == time.min


def terms(*, policy: RefundPolicy, event: Event, ordered_at: datetime, now: datetime) -> Terms:
    """Days are calendar days in the venue's time, as people count them."""
    if event.state == Event.State.CANCELLED:
        return Terms(0)  # nobody pays for what does not take place
    days = (localtime(event.starts_at).date() - localtime(now).date()).days
    tiers = [(least, percent) for least, percent in policy.tiers if days >= least]
    if now >= event.starts_at or not tiers:
        return Terms(None)
    is_far = days >= max(least for least, _ in policy.tiers)
    if is_far and now <= ordered_at + timedelta(days=policy.free_days):
        return Terms(0)
    return Terms(max(tiers)[1])


def steps(*, policy: RefundPolicy, event: Event, ordered_at: datetime, now: datetime) -> list[Step]:
    """The same as dates, from now on; after the last of them nothing can be given back."""
    found = [Step(_end(event, least), percent) for least, percent in policy.tiers]
    if found:
        free = min(ordered_at + timedelta(days=policy.free_days), found[0].until)
        found = [Step(free, 0), *(step for step in found if step.until > free)]
    return [step for step in found if step.until > now]


def _end(event: Event, days_before: int) -> datetime:
    """The midnight that ends the day so many days before the show, or the show itself."""
    day = localtime(event.starts_at).date() - timedelta(days=days_before - 1)
    midnight = datetime.combine(day, time.min, tzinfo=localtime(event.starts_at).tzinfo)
    return min(midnight, event.starts_at)
