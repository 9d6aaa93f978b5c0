"""What cancelling costs: free soon after the order, then more as the show nears."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.timezone import localtime

from payments.models import RefundPolicy
from ticketing.models import Event


@dataclass(frozen=True)
class Terms:
    """`percent` is None when it is too late."""

    percent: int | None

    def fee(self, amount: int) -> int:
        """Rounded down, for the fan."""
        return amount * (self.percent or 0) // 100


def terms(*, policy: RefundPolicy, event: Event, ordered_at: datetime, now: datetime) -> Terms:
    """Days are calendar days in the venue's time, as people count them."""
    if event.state == Event.State.CANCELLED:
        return Terms(0)
    days = (localtime(event.starts_at).date() - localtime(now).date()).days
    tiers = [(least, percent) for least, percent in policy.tiers if days >= least]
    if now >= event.starts_at or not tiers:
        return Terms(None)
    is_far = days >= max(least for least, _ in policy.tiers)
    if is_far and now <= ordered_at + timedelta(days=policy.free_days):
        return Terms(0)
    return Terms(max(tiers)[1])
