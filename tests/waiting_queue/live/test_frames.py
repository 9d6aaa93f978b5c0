"""What is pushed says the same as the API, word for word."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ticketing.core.live import shutdown
from waiting_queue import selectors
from waiting_queue.live import frames
from waiting_queue.live.frames import Frames
from waiting_queue.store import Standing
from waiting_queue.tick_message import TickMessage, event_of
from waiting_queue.tokens import QueueToken, read_token

counts = st.integers(0, 10**6)
rates = st.one_of(st.just(0.0), st.floats(0, 10**5, allow_nan=False))
words = st.text(max_size=40)
pulses = st.builds(
    TickMessage,
    event_id=st.integers(1, 10**18),
    turn=counts,
    epoch=st.text("abcXYZ-_", min_size=1, max_size=12),
    queue_state=st.sampled_from(["lobby", "open", "paused", "draining"]),
    drawing=st.integers(0, 1),
    absence_ms=st.integers(0, 86_400_000),
    head=counts,
    last=counts,
    waiting=counts,
    lobby=counts,
    ready=counts,
    inside=counts,
    admitted=counts,
    fast=rates,
    slow=rates,
    news=st.lists(st.tuples(st.from_regex(r"[0-9]{1,9}", fullmatch=True), counts), max_size=5),
    at_ms=st.integers(1, 4 * 10**12),
    notice=words,
    outlook=st.one_of(st.none(), st.just({"sold_out": True, "grades": [{"code": "%s"}]})),
)


def standing(pulse: TickMessage, state: str, number: int, ahead: int, **more: int) -> Standing:
    """As Redis would say it at the moment of the pulse."""
    return Standing(
        state=state,
        number=number,
        ahead=ahead,
        deadline_ms=more.get("deadline_ms", 0),
        admitted_ms=more.get("admitted_ms", 0),
        waiting=max(pulse.waiting, ahead + 1),
        lobby=pulse.lobby,
        queue_state=pulse.queue_state,
        fast=pulse.fast,
        slow=pulse.slow,
        epoch=pulse.epoch,
        lines_allowed=1,
        absence_ms=pulse.absence_ms,
    )


def told_by_the_api(
    pulse: TickMessage,
    person: str,
    found: Standing,
    *,
    luck: float = 0.5,
    held: QueueToken | None = None,
) -> dict:
    now = datetime.fromtimestamp(pulse.at_ms / 1000, UTC)
    body = selectors.standing_body(
        event_id=pulse.event_id, person=person, standing=found, now=now, jitter=luck, held=held
    )
    return json.loads(json.dumps({"type": "standing", **body}))


@settings(deadline=None)
@given(pulses, st.integers(1, 10**9), counts)
def test_somebody_in_line_is_told_what_the_api_says(pulse, number, ahead):
    told = json.loads(Frames(pulse).waiting(number, ahead))

    right = told_by_the_api(pulse, "1", standing(pulse, "waiting", number, ahead))
    assert told == right | {"token": None}
    assert list(told) == list(right)


@settings(deadline=None)
@given(pulses, st.integers(1, 10**9), counts, st.floats(0, 1))
def test_somebody_who_polls_is_answered_what_the_api_says(pulse, number, ahead, luck):
    answer = json.loads(Frames(pulse).answer(number, ahead, luck))

    held = QueueToken(pulse.event_id, "1", number, pulse.epoch)
    found = standing(pulse, "waiting", number, ahead)
    right = told_by_the_api(pulse, "1", found, luck=luck, held=held)
    assert answer == {name: value for name, value in right.items() if name != "type"}


STATES = ["lobby", "ready", "admitted", "none", "completed", "left", "expired", "blocked", "closed"]


@settings(deadline=None)
@given(pulses, st.sampled_from(STATES), counts, st.integers(1, 4 * 10**12))
def test_whoever_else_looks_is_told_it_with_the_line_as_it_is_now(pulse, state, number, deadline):
    now = standing(pulse, state, number, 0, deadline_ms=deadline, admitted_ms=1)
    before = replace(now, waiting=1, lobby=2, queue_state="lobby", fast=1.5, slow=2.5)

    told = json.loads(Frames(pulse).of("1", before))

    right = told_by_the_api(pulse, "1", replace(now, waiting=pulse.waiting))
    assert told == right | {"token": None}


@settings(deadline=None)
@given(pulses, st.sampled_from(["ready", "admitted", "waiting", "lobby"]), counts)
def test_news_come_with_the_token_of_what_one_has_now(pulse, state, number):
    found = standing(pulse, state, number, 0, deadline_ms=pulse.at_ms + 60_000, admitted_ms=1)

    told = json.loads(Frames(pulse).news("42", found))

    held = read_token(told["token"])
    assert told == told_by_the_api(pulse, "42", found)
    assert (held.person, held.number, held.epoch) == ("42", number, pulse.epoch)


def test_only_who_is_inside_is_told_where_to_go():
    pulse = TickMessage(7, epoch="e", queue_state="open", at_ms=1)

    go_to = {
        state: json.loads(Frames(pulse).news("1", standing(pulse, state, 1, 0)))["go_to"]
        for state in [*STATES, "waiting"]
    }

    assert go_to.pop("admitted") == "/events/7/seats/"
    assert set(go_to.values()) == {None}


def test_what_is_the_same_for_all_gives_nothing_of_anybody_away():
    pulse = TickMessage(7, epoch="e", queue_state="open", at_ms=1)
    shared = Frames(pulse)
    ann, ben = (standing(pulse, "lobby", 0, 0) for _ in range(2))

    assert shared.of("1", ann) is shared.of("2", ben)
    assert json.loads(shared.of("1", ann))["token"] is None


@given(pulses)
def test_a_pulse_is_read_as_it_was_written(pulse):
    text = pulse.to_text()

    assert TickMessage.from_text(text) == pulse
    assert event_of(text) == pulse.event_id
    assert TickMessage.from_text(pulse.without_news()) == replace(pulse, news=[])


@given(pulses)
def test_announcements_are_the_same_to_those_who_poll_and_those_who_are_told(pulse):
    polled, told = frames.announcements_of(pulse), frames.announcements(pulse)

    outlook, notice = json.loads(told["outlook"]), json.loads(told["notice"])
    assert list(told) == ["outlook", "notice"]
    assert notice == {"type": "notice", "message": polled.pop("notice")}
    assert outlook == {"type": "outlook", **polled}


@pytest.mark.parametrize("pulse", [None, TickMessage(7)])
def test_without_a_tick_there_is_nothing_to_announce(pulse):
    assert frames.announcements_of(pulse) == {"notice": "", "sold_out": False, "grades": []}


def test_a_page_is_told_when_to_come_back():
    assert json.loads(shutdown.reconnect(321)) == {"type": "reconnect", "after_ms": 321}
