"""The fee periods that are shown agree with the fee that is taken."""

from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from payments.models import RefundPolicy
from payments.selectors import cancellation_terms
from ticketing.events.models import Event

SEOUL = ZoneInfo("Asia/Seoul")
SHOW = datetime(2026, 12, 24, 19, 30, tzinfo=SEOUL)
POLICIES = [
    RefundPolicy(),
    RefundPolicy(free_days=0),
    RefundPolicy(tiers=[[5, 15], [0, 90]]),
    RefundPolicy(tiers=[]),
    RefundPolicy(free_days=1, tiers=[[30, 5]]),
]


def periods_and_percent(policy, ordered_at, now, state="on_sale"):
    event = Event(starts_at=SHOW, state=state)
    terms = {"policy": policy, "event": event, "ordered_at": ordered_at, "now": now}
    return cancellation_terms.fee_periods(**terms), cancellation_terms.fee_percent(**terms)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("days", [40, 12, 9, 2, 0])
def test_at_every_hour_the_next_date_has_the_fee_of_that_hour(policy, days):
    ordered_at = SHOW - timedelta(days=days, hours=3)
    for hour in range(24 * days + 30):
        now = ordered_at + timedelta(hours=hour, seconds=1)
        periods, percent = periods_and_percent(policy, ordered_at, now)
        assert (periods[0].percent if periods else None) == percent, now


def test_dates_are_days_in_seoul():
    ordered_at = SHOW - timedelta(days=40)

    periods, _ = periods_and_percent(RefundPolicy(), ordered_at, ordered_at)

    days = [(f"{period.last.astimezone(SEOUL):%m-%d %H}", period.percent) for period in periods]
    assert days == [("11-21 19", 0), ("12-14 23", 10), ("12-21 23", 20), ("12-23 23", 30)]
    assert [period.is_whole_day for period in periods] == [False, True, True, True]


def test_nobody_pays_a_fee_for_a_show_that_does_not_take_place():
    ordered_at = SHOW - timedelta(days=40)

    _, percent = periods_and_percent(
        RefundPolicy(), ordered_at, SHOW - timedelta(days=1), state="cancelled"
    )

    assert percent == 0


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("days", [40, 12, 9, 2, 0])
def test_each_date_is_later_than_the_one_before(policy, days):
    ordered_at = SHOW - timedelta(days=days)

    periods, _ = periods_and_percent(policy, ordered_at, ordered_at)

    assert all(period.until < later.until for period, later in pairwise(periods))
