"""What people are told: honest estimates, and polls that spread."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from waiting_queue import selectors
from waiting_queue.store import Standing
from waiting_queue.tokens import QueueToken, read_token

NOW = datetime(2027, 3, 2, 11, 0, tzinfo=UTC)
WAITING = Standing(
    state="waiting",
    number=600,
    ahead=499,
    deadline_ms=0,
    admitted_ms=0,
    waiting=900,
    lobby=0,
    queue_state="open",
    pace="10 600 800 120 50",
    epoch="e1",
    lines_allowed=1,
    absence_ms=300_000,
)


def eta(found: Standing) -> tuple[int | None, int | None, int | None]:
    expected, low, high = selectors.eta_of(found)
    return low, expected, high


def poll_ms(found: Standing, luck: float = 0.5) -> int:
    _, low, _ = selectors.eta_of(found)
    return selectors.next_poll_ms(found, low, NOW, luck)


def test_with_room_for_everybody_ahead_the_rate_decides():
    assert eta(WAITING) == (45, 50, 55)


def test_who_needs_a_place_that_is_taken_waits_until_somebody_leaves():
    """400 people need the places of others, of which 800 are free again after 120 s each."""
    low, expected, high = eta(replace(WAITING, pace="10 100 800 120 10000"))

    assert expected == 60  # 59.9
    assert low < 60 < high


def test_the_only_place_inside_is_taken_for_as_long_as_people_stay():
    assert eta(replace(WAITING, ahead=0, pace="10 0 1 300 0")) == (0, 150, None)
    assert eta(replace(WAITING, ahead=1, pace="10 0 1 60 3"))[1] == 90


def test_without_a_rate_only_places_count():
    assert eta(replace(WAITING, pace="0 600 800 120 50")) == (0, 0, 0)
    assert eta(replace(WAITING, pace="0 0 500 120 1e9"))[1] == 120


def test_the_fewer_stays_are_known_the_wider_the_estimate():
    widths = []
    for stays in (1, 10, 1_000):
        low, _, high = eta(replace(WAITING, pace=f"10 0 50 120 {stays}"))
        widths.append(high - low)

    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 3


@pytest.mark.parametrize("pace", ["", "10 0 0 120 50"])
def test_when_nobody_is_called_nothing_is_promised(pace):
    assert eta(replace(WAITING, pace=pace)) == (None, None, None)


def test_paused_is_honest():
    body = selectors.standing_body(
        event_id=7,
        person="1",
        standing=replace(WAITING, queue_state="paused"),
        now=NOW,
        jitter=0.5,
    )

    assert body["paused"] is True
    assert body["eta_seconds"] is None


@pytest.mark.parametrize("state", ["lobby", "expired", "left", "completed", "blocked", "none"])
def test_who_does_not_wait_has_no_estimate(state):
    assert eta(replace(WAITING, state=state, number=0)) == (None, None, None)


def test_the_farther_away_the_longer_until_the_next_poll():
    waits = [poll_ms(replace(WAITING, ahead=ahead)) for ahead in (0, 100, 1_000, 5_000, 50_000)]

    assert waits == sorted(waits)
    assert waits[0] < 1_500
    assert waits[-1] == 30_000
    assert len(set(waits)) == 5


def test_polls_spread_by_a_fifth_either_way():
    assert [poll_ms(WAITING, luck) for luck in (0, 1)] == [
        round(poll_ms(WAITING) * 0.8),
        round(poll_ms(WAITING) * 1.2),
    ]


def test_nobody_is_away_for_longer_than_a_third_of_the_absence():
    far = replace(WAITING, ahead=50_000, absence_ms=30_000)

    assert poll_ms(far, luck=1) == 10_000


@pytest.mark.parametrize(("left_ms", "expected"), [(300_000, 10_000), (12_000, 4_000), (0, 1_000)])
def test_inside_polls_come_well_before_the_pass_ends(left_ms, expected):
    deadline = int(NOW.timestamp() * 1000) + left_ms

    assert poll_ms(replace(WAITING, state="admitted", deadline_ms=deadline)) == expected


def test_when_it_is_ones_turn_polls_are_quick():
    assert poll_ms(replace(WAITING, state="ready")) == 1_000


def test_the_token_is_told_only_where_it_is_news():
    held = QueueToken(7, "1", 600, "e1")

    def told(found, held):
        return selectors.new_token(7, "1", found, held, browser="A", now=NOW)

    assert told(WAITING, held) is None
    assert told(WAITING, None) == held.sign()
    assert told(replace(WAITING, number=601), held) is not None
    assert told(replace(WAITING, state="left"), held) is None


def test_the_pass_is_for_the_browser_that_has_it_and_told_again_when_it_is_half_over():
    inside = replace(WAITING, state="admitted", browser="A")
    place = QueueToken(7, "1", 600, "e1")

    def told(browser, held, seconds=0):
        now = NOW + timedelta(seconds=seconds)
        token = selectors.new_token(7, "1", inside, held, browser=browser, now=now)
        return token and read_token(token)

    first = told("A", None)
    assert (first.browser, first.until) == ("A", int(NOW.timestamp()) + 600)
    assert told("A", first, 299) is None
    assert told("A", first, 301).until == first.until + 301
    assert told("A", place) == first
    assert told("B", place) is None
    assert told("B", first) == place  # it was taken over
