"""The flow through a queue by Little's law, and the warnings about knobs that do not fit."""

import pytest
from django.utils import translation

from waiting_queue.selectors import flow as flows
from waiting_queue.selectors.flow import Flow


@pytest.fixture(autouse=True)
def _in_english():
    with translation.override("en"):
        yield


FITS = Flow(rate=2, cap=800, stay=300)


@pytest.mark.parametrize(
    ("rate", "cap", "stay", "cap_binds", "lasting"),
    [
        (10, 800, 300, True, 800 / 300),
        (2, 800, 300, False, 2),
        (4, 1_200, 300, False, 4),  # exactly enough places
        (0, 800, 300, True, 800 / 300),
        (0.5, 10, 10, False, 0.5),
    ],
)
def test_the_smaller_one_of_rate_and_places_decides(rate, cap, stay, cap_binds, lasting):
    flow = Flow(rate=rate, cap=cap, stay=stay)

    assert flow.cap_binds is cap_binds
    assert flow.lasting_rate == pytest.approx(lasting)


@pytest.mark.parametrize("stay", [10, 60, 300, 1_800])
def test_people_inside_are_admissions_times_stay(stay):
    """Simulate it: admit at the lasting rate, let everybody stay, and count the people inside."""
    flow = Flow(rate=3, cap=600, stay=stay)
    inside, most = [], 0
    for second in range(stay * 4):
        inside = [until for until in inside if until > second]
        admitted = int((second + 1) * flow.lasting_rate) - int(second * flow.lasting_rate)
        inside += [second + stay] * admitted
        most = max(most, len(inside))

    assert most <= flow.cap
    assert most == pytest.approx(flow.lasting_rate * stay, rel=0.02, abs=1)


def test_knobs_that_fit_raise_no_warning():
    assert flows.knob_warnings(FITS) == []


def test_a_rate_that_the_places_can_not_keep_up_is_warned_of():
    assert flows.knob_warnings(Flow(rate=10, cap=800, stay=300)) == [
        "With 800 places and 300 s inside, about 2.7 people a second can come in; "
        "the rate of 10/s will not be reached."
    ]


@pytest.mark.parametrize(
    ("flow", "text"),
    [
        (Flow(rate=0, cap=800, stay=300), "Without a rate, all 800 places"),
        (Flow(rate=0.5, cap=800, stay=300), "only about 150 of 800 places will be in use"),
        (Flow(rate=10, cap=100, stay=10, claim=60), "can keep 100 of 100 places empty"),
        (Flow(rate=2, cap=800, stay=300, absence=30), "a phone that sleeps for a moment"),
        (Flow(rate=2, cap=800, stay=300, stock_factor=0), "nobody comes in"),
    ],
)
def test_each_misfit_has_its_warning(flow, text):
    assert any(text in warning for warning in flows.knob_warnings(flow))


@pytest.mark.parametrize(
    ("waiting", "flow", "seconds"),
    [
        (0, FITS, 0),
        (1_000, FITS, 500),
        (800, Flow(rate=0, cap=800, stay=300), 0),
        (1_600, Flow(rate=0, cap=800, stay=300), 300),
        (8_000, Flow(rate=10, cap=800, stay=300), 2_700),
        (100, Flow(rate=10, cap=800, stay=300), 10),
    ],
)
def test_how_long_a_line_takes(waiting, flow, seconds):
    assert flows.seconds_to_empty(waiting, flow) == pytest.approx(seconds)


def test_the_forecast_of_a_full_line():
    forecast = flows.full_line_forecast(Flow(rate=2, cap=800, stay=300, capacity=7_200))

    assert forecast == "A full line of 7,200 would take about 1 h 0 min, at 2 people a second."


def test_a_measured_stay_takes_the_place_of_the_guess():
    assert flows.measured_stay(800, 8) == 100
    assert flows.measured_stay(0, 8) is None
    assert flows.measured_stay(8, 0) is None
    assert not Flow(rate=8, cap=800, stay=100).cap_binds


@pytest.mark.parametrize(
    ("lost", "age", "text"),
    [
        (True, None, "Redis does not know this line"),
        (False, 65, "The last tick was 1 min 5 s ago"),
        (False, 1, None),
        (False, None, None),
    ],
)
def test_a_lost_line_or_a_late_tick_is_warned_of(lost, age, text):
    warnings = flows.live_warnings(lost=lost, tick_age=age)

    assert [text in warning for warning in warnings] == ([True] if text else [])


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s"), (7_260, "2 h 1 min")],
)
def test_durations_have_two_units_at_most(seconds, text):
    assert flows.format_duration(seconds) == text
