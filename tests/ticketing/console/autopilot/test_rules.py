"""How the autopilot sets the rate, as plain arithmetic."""

from dataclasses import replace

import pytest

from ticketing.console.services.autopilot_rules import (
    MIN_RATE,
    AutopilotBounds,
    AutopilotMeasurements,
    decide,
)

BOUNDS = AutopilotBounds(lowest=2, highest=50, page_ms=800, database_ms=100)
HEALTHY = AutopilotMeasurements(page_ms=200, database_ms=5, waiting=500, is_full=False, room=10_000)


def rate_after(rate, bounds=BOUNDS, **measured):
    return decide(rate=rate, bounds=bounds, measured=replace(HEALTHY, **measured)).rate


def test_good_response_times_raise_the_rate_slowly():
    decision = decide(rate=10, bounds=BOUNDS, measured=HEALTHY)

    assert (decision.rate, decision.why) == (10.5, "healthy")


@pytest.mark.parametrize(
    ("slow", "why"), [({"page_ms": 900}, "slow_pages"), ({"database_ms": 120}, "slow_database")]
)
def test_slow_responses_lower_the_rate_quickly_and_name_what_was_slow(slow, why):
    decision = decide(rate=10, bounds=BOUNDS, measured=replace(HEALTHY, **slow))

    assert decision.rate <= 8
    assert (decision.why, decision.a) == (why, next(iter(slow.values())))


def test_slower_responses_lower_the_rate_more_but_at_most_by_half():
    assert (
        rate_after(10, page_ms=900) > rate_after(10, page_ms=1_200) > rate_after(10, page_ms=9_000)
    )
    assert rate_after(10, page_ms=90_000) == 5


def test_the_rate_falls_faster_than_it_rises():
    up = down = 20.0
    for _ in range(3):
        up, down = rate_after(up), rate_after(down, page_ms=2_000)

    assert up / 20 - 1 < 1 - down / 20
    assert down < 5


def test_close_to_the_target_the_rate_stays():
    assert rate_after(10, page_ms=700) == 10


@pytest.mark.parametrize(
    "unknown", [{"page_ms": None}, {"database_ms": None}, {"page_ms": None, "database_ms": None}]
)
def test_without_measurements_the_rate_stays(unknown):
    decision = decide(rate=10, bounds=BOUNDS, measured=replace(HEALTHY, **unknown))

    assert (decision.rate, decision.why) == (10, "no_data")


def test_one_measurement_is_enough_to_lower_the_rate():
    assert rate_after(10, page_ms=None, database_ms=500) < 10


def test_a_rate_that_is_not_used_up_is_not_raised():
    assert rate_after(10, waiting=0) == 10
    assert rate_after(10, is_full=True) == 10


def test_the_rate_stays_between_its_bounds():
    assert rate_after(50) == 50
    assert rate_after(2.1, page_ms=9_000) == 2
    assert rate_after(500) == 50
    assert rate_after(0.5) == 2


def test_a_rate_without_limit_counts_as_the_upper_bound():
    assert rate_after(0) == 50
    assert rate_after(0, page_ms=9_000) == 25


def test_sold_out_lowers_the_rate_to_the_minimum_even_below_the_lower_bound():
    decision = decide(rate=30, bounds=BOUNDS, measured=replace(HEALTHY, room=0))

    assert (decision.rate, decision.why) == (MIN_RATE, "stock")


def test_few_seats_lower_the_rate_so_that_everyone_admitted_finds_one():
    assert rate_after(30, room=90) == 3


def test_no_more_people_are_admitted_than_there_are_seats():
    rate, room, admitted = 50.0, 100.0, 0.0
    for _ in range(200):
        rate = rate_after(rate, room=int(room))
        admitted, room = admitted + 5 * rate, room - 5 * rate

    assert admitted <= 100 + 200 * 5 * MIN_RATE


def test_returned_seats_bring_the_rate_back_to_its_bounds_at_once():
    assert rate_after(MIN_RATE, room=5_000) == 2


@pytest.mark.parametrize("rate", [0, 0.01, 3, 50, 10_000])
@pytest.mark.parametrize("page_ms", [None, 1, 750, 5_000])
@pytest.mark.parametrize("room", [0, 1, 10_000])
def test_the_rate_is_never_unlimited(rate, page_ms, room):
    assert 0 < rate_after(rate, page_ms=page_ms, room=room) <= 50


def test_a_sale_that_slows_down_with_its_rate_settles_near_the_target():
    """Pages take 30 ms per admission a second: the target of 800 ms is met at 26 a second."""
    rate, rates = 50.0, []
    for _ in range(200):
        rate = rate_after(rate, page_ms=30 * rate)
        rates.append(rate)

    assert all(20 < rate < 27 for rate in rates[20:])
