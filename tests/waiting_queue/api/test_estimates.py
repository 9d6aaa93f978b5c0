"""What people are told: honest estimates, and polls that spread."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from waiting_queue import selectors
from waiting_queue.store import Standing
from waiting_queue.tokens import QueueToken

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
    fast=10.0,
    slow=5.0,
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


def test_the_estimate_follows_the_measured_pace():
    assert eta(WAITING) == (45, 67, 110)


def test_when_nobody_was_called_lately_nothing_is_promised():
    assert eta(replace(WAITING, fast=0, slow=0)) == (None, None, None)


def test_a_line_that_just_came_to_a_halt_has_no_upper_end():
    low, middle, high = eta(replace(WAITING, fast=0, slow=5.0))

    assert (low, high) == (90, None)
    assert middle == 200


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

    assert selectors.new_token(7, "1", WAITING, held) is None
    assert selectors.new_token(7, "1", WAITING, None) == held.sign()
    assert selectors.new_token(7, "1", replace(WAITING, number=601), held) is not None
    assert selectors.new_token(7, "1", replace(WAITING, state="left"), held) is None
