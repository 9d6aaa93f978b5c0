"""How the autopilot turns the rate, as plain arithmetic."""

from dataclasses import replace

import pytest

from ticketing.console.pilot import STANDSTILL, Limits, Seen, decide

LIMITS = Limits(lowest=2, highest=50, page_ms=800, database_ms=100)
WELL = Seen(page_ms=200, database_ms=5, waiting=500, is_full=False, room=10_000)


def rate_after(rate, limits=LIMITS, **seen):
    return decide(rate=rate, limits=limits, seen=replace(WELL, **seen)).rate


def test_health_raises_the_rate_slowly():
    made = decide(rate=10, limits=LIMITS, seen=WELL)

    assert (made.rate, made.why) == (10.5, "healthy")


@pytest.mark.parametrize(
    ("slow", "why"), [({"page_ms": 900}, "slow_pages"), ({"database_ms": 120}, "slow_database")]
)
def test_overload_lowers_it_quickly_and_says_what_was_slow(slow, why):
    made = decide(rate=10, limits=LIMITS, seen=replace(WELL, **slow))

    assert made.rate <= 8
    assert (made.why, made.a) == (why, next(iter(slow.values())))


def test_the_worse_it_is_the_harder_but_never_more_than_half_at_once():
    assert (
        rate_after(10, page_ms=900) > rate_after(10, page_ms=1_200) > rate_after(10, page_ms=9_000)
    )
    assert rate_after(10, page_ms=90_000) == 5


def test_down_is_quicker_than_up():
    up = down = 20.0
    for _ in range(3):
        up, down = rate_after(up), rate_after(down, page_ms=2_000)

    assert up / 20 - 1 < 1 - down / 20
    assert down < 5


def test_close_to_the_target_nothing_moves():
    assert rate_after(10, page_ms=700) == 10


@pytest.mark.parametrize(
    "unknown", [{"page_ms": None}, {"database_ms": None}, {"page_ms": None, "database_ms": None}]
)
def test_without_data_it_holds(unknown):
    made = decide(rate=10, limits=LIMITS, seen=replace(WELL, **unknown))

    assert (made.rate, made.why) == (10, "no_data")


def test_half_the_data_is_enough_to_slow_down():
    assert rate_after(10, page_ms=None, database_ms=500) < 10


def test_a_rate_that_nothing_uses_is_not_raised():
    assert rate_after(10, waiting=0) == 10
    assert rate_after(10, is_full=True) == 10


def test_it_stays_between_its_bounds():
    assert rate_after(50) == 50
    assert rate_after(2.1, page_ms=9_000) == 2
    assert rate_after(500) == 50
    assert rate_after(0.5) == 2


def test_no_limit_is_taken_for_the_upper_bound():
    assert rate_after(0) == 50
    assert rate_after(0, page_ms=9_000) == 25


def test_sold_out_stops_it_at_once_even_below_the_lower_bound():
    made = decide(rate=30, limits=LIMITS, seen=replace(WELL, room=0))

    assert (made.rate, made.why) == (STANDSTILL, "stock")


def test_few_seats_slow_it_down_so_that_no_more_come_in_than_find_one():
    assert rate_after(30, room=90) == 3


def test_it_never_lets_in_more_people_than_there_is_room_for():
    rate, room, came = 50.0, 100.0, 0.0
    for _ in range(200):
        rate = rate_after(rate, room=int(room))
        came, room = came + 5 * rate, room - 5 * rate

    assert came <= 100 + 200 * 5 * STANDSTILL


def test_seats_that_come_back_bring_it_back_to_its_bounds_at_once():
    assert rate_after(STANDSTILL, room=5_000) == 2


@pytest.mark.parametrize("rate", [0, 0.01, 3, 50, 10_000])
@pytest.mark.parametrize("page_ms", [None, 1, 750, 5_000])
@pytest.mark.parametrize("room", [0, 1, 10_000])
def test_it_never_asks_for_no_limit_at_all(rate, page_ms, room):
    assert 0 < rate_after(rate, page_ms=page_ms, room=room) <= 50


def test_a_sale_that_slows_down_with_its_rate_settles_near_the_target():
    """A house whose pages take 30 ms for each person a second: 800 ms are 26 a second."""
    rate, seen = 50.0, []
    for _ in range(200):
        rate = rate_after(rate, page_ms=30 * rate)
        seen.append(rate)

    assert all(20 < rate < 27 for rate in seen[20:])
