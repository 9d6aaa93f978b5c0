"""Terms of cancelling as dates say the same as the fee that is taken."""

from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from payments import policy
from payments.models import RefundPolicy
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


def told(rules, ordered_at, now, state="on_sale"):
    about = {"policy": rules, "event": Event(starts_at=SHOW, state=state)}
    return policy.steps(**about, ordered_at=ordered_at, now=now), policy.terms(
        **about, ordered_at=ordered_at, now=now
    )


@pytest.mark.parametrize("rules", POLICIES)
@pytest.mark.parametrize("days", [40, 12, 9, 2, 0])
def test_at_every_hour_the_next_date_has_the_fee_of_that_hour(rules, days):
    ordered_at = SHOW - timedelta(days=days, hours=3)
    for hour in range(24 * days + 30):
        now = ordered_at + timedelta(hours=hour, seconds=1)
        steps, terms = told(rules, ordered_at, now)
        assert (steps[0].percent if steps else None) == terms.percent, now


def test_dates_are_days_in_seoul():
    ordered_at = SHOW - timedelta(days=40)

    steps, _ = told(RefundPolicy(), ordered_at, ordered_at)

    days = [(f"{step.last.astimezone(SEOUL):%m-%d %H}", step.percent) for step in steps]
    assert days == [("11-21 19", 0), ("12-14 23", 10), ("12-21 23", 20), ("12-23 23", 30)]
    assert [step.is_whole_day for step in steps] == [False, True, True, True]


def test_nobody_pays_a_fee_for_a_show_that_does_not_take_place():
    ordered_at = SHOW - timedelta(days=40)

    _, terms = told(RefundPolicy(), ordered_at, SHOW - timedelta(days=1), state="cancelled")

    assert terms.percent == 0


@pytest.mark.parametrize("rules", POLICIES)
@pytest.mark.parametrize("days", [40, 12, 9, 2, 0])
def test_each_date_is_later_than_the_one_before(rules, days):
    ordered_at = SHOW - timedelta(days=days)

    steps, _ = told(rules, ordered_at, ordered_at)

    assert all(step.until < later.until for step, later in pairwise(steps))
