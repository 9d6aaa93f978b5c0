"""The fee periods that are shown agree with the fee that is taken."""

from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError

from payments.models import RefundPolicy
from payments.models.policies import check_tiers
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
    RefundPolicy(free_days=0, free_hours=0),
    RefundPolicy(free_hours=72, near_days=0, tiers=[[10, 10, 4_000], [7, 10], [1, 30], [0, 90]]),
]


def periods_and_rate(policy, ordered_at, now, state="on_sale"):
    event = Event(starts_at=SHOW, state=state)
    terms = {"policy": policy, "event": event, "ordered_at": ordered_at, "now": now}
    return cancellation_terms.fee_periods(**terms), cancellation_terms.fee_rate(**terms)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("days", [40, 12, 9, 2, 0])
def test_at_every_hour_the_next_date_has_the_fee_of_that_hour(policy, days):
    ordered_at = SHOW - timedelta(days=days, hours=3)
    for hour in range(24 * days + 30):
        now = ordered_at + timedelta(hours=hour, seconds=1)
        periods, rate = periods_and_rate(policy, ordered_at, now)
        assert (periods[0].rate if periods else None) == rate, now


def test_dates_are_days_in_seoul():
    ordered_at = SHOW - timedelta(days=40)

    periods, _ = periods_and_rate(RefundPolicy(), ordered_at, ordered_at)

    days = [(f"{it.last.astimezone(SEOUL):%m-%d %H}", it.rate.percent) for it in periods]
    assert days == [
        *[("11-21 19", 0), ("12-14 23", 10), ("12-17 23", 10), ("12-21 23", 20), ("12-23 23", 30)]
    ]
    assert [it.rate.amount for it in periods] == [None, 4_000, None, None, None]
    assert [period.is_whole_day for period in periods] == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("days", "hours", "is_free"), [(5, 23, True), (5, 25, False), (3, 1, False)]
)
def test_for_a_day_an_order_is_free_while_the_show_is_not_near(days, hours, is_free):
    ordered_at = SHOW - timedelta(days=days, hours=hours)

    _, rate = periods_and_rate(RefundPolicy(), ordered_at, SHOW - timedelta(days=days))

    assert (rate == cancellation_terms.FREE) == is_free


@pytest.mark.parametrize(("price", "fee"), [(154_000, 4_000), (40_000, 4_000), (30_000, 3_000)])
def test_a_fixed_amount_is_kept_but_at_most_the_percentage(price, fee):
    assert cancellation_terms.FeeRate(10, 4_000).fee(price) == fee


@pytest.mark.parametrize(
    ("tiers", "back"), [([[1, 30]], None), ([[1, 30], [0, 90]], 10), ([[0, 100]], 0)]
)
def test_the_organiser_chooses_what_comes_back_on_the_day_itself(tiers, back):
    policy = RefundPolicy(tiers=tiers)
    ordered_at = SHOW - timedelta(days=9)

    _, rate = periods_and_rate(policy, ordered_at, SHOW - timedelta(hours=1))
    _, too_late = periods_and_rate(policy, ordered_at, SHOW)

    assert (None if rate is None else 100 - rate.percent) == back
    assert too_late is None


@pytest.mark.parametrize(
    "tiers",
    [
        *[None, "x", [[1]], [[1, 101]], [[-1, 10]], [[1, 10], [3, 20]], [[3, 20], [3, 30]]],
        *[[[10, 20], [3, 10]], [[10, 10, -4_000]], [[10, 10, 1, 1]], [[1.5, 10]], [[True, 10]]],
    ],
)
def test_terms_that_make_no_sense_are_refused(tiers):
    with pytest.raises(ValidationError):
        check_tiers(tiers)


def test_nobody_pays_a_fee_for_a_show_that_does_not_take_place():
    ordered_at = SHOW - timedelta(days=40)

    _, rate = periods_and_rate(
        RefundPolicy(), ordered_at, SHOW - timedelta(days=1), state="cancelled"
    )

    assert rate == cancellation_terms.FREE


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("days", [40, 12, 9, 2, 0])
def test_each_date_is_later_than_the_one_before(policy, days):
    ordered_at = SHOW - timedelta(days=days)

    periods, _ = periods_and_rate(policy, ordered_at, ordered_at)

    assert all(period.until < later.until for period, later in pairwise(periods))
