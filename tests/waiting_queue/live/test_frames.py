"""Pushed frames say the same as the API, word for word."""

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
paces = st.builds(  # as pace_fields in _line.lua makes them
    "{:.6f} {} {} {:.3f} {:.3f}".format, rates, st.integers(-10, 10**6), counts, rates, rates
)
words = st.text(max_size=40)
messages = st.builds(
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
    pace=st.one_of(st.just(""), paces),
    changes=st.lists(st.tuples(st.from_regex(r"[0-9]{1,9}", fullmatch=True), counts), max_size=5),
    at_ms=st.integers(1, 4 * 10**12),
    notice=words,
    outlook=st.one_of(st.none(), st.just({"sold_out": True, "grades": [{"code": "%s"}]})),
)


def standing(message: TickMessage, state: str, number: int, ahead: int, **more: int) -> Standing:
    """As Redis would say it at the moment of the message."""
    return Standing(
        state=state,
        number=number,
        ahead=ahead,
        deadline_ms=more.get("deadline_ms", 0),
        admitted_ms=more.get("admitted_ms", 0),
        waiting=max(message.waiting, ahead + 1),
        lobby=message.lobby,
        queue_state=message.queue_state,
        pace=message.pace,
        epoch=message.epoch,
        lines_allowed=1,
        absence_ms=message.absence_ms,
        turn=message.turn,
    )


def api_body(
    message: TickMessage,
    person: str,
    found: Standing,
    *,
    luck: float = 0.5,
    held: QueueToken | None = None,
) -> dict:
    now = datetime.fromtimestamp(message.at_ms / 1000, UTC)
    body = selectors.standing_body(
        event_id=message.event_id, person=person, standing=found, now=now, jitter=luck, held=held
    )
    return json.loads(json.dumps({"type": "standing", **body}))


@settings(deadline=None)
@given(messages, st.integers(1, 10**9), counts)
def test_a_waiting_frame_says_what_the_api_says(message, number, ahead):
    told = json.loads(Frames(message).waiting(number, ahead))

    right = api_body(message, "1", standing(message, "waiting", number, ahead))
    assert told == right | {"token": None}
    assert list(told) == list(right)


@settings(deadline=None)
@given(messages, st.integers(1, 10**9), counts, st.floats(0, 1))
def test_a_local_answer_says_what_the_api_says(message, number, ahead, luck):
    answer = json.loads(Frames(message).answer(number, ahead, luck))

    held = QueueToken(message.event_id, "1", number, message.epoch)
    found = standing(message, "waiting", number, ahead)
    right = api_body(message, "1", found, luck=luck, held=held)
    assert answer == {name: value for name, value in right.items() if name != "type"}


STATES = ["lobby", "ready", "admitted", "none", "completed", "left", "expired", "blocked", "closed"]


@settings(deadline=None)
@given(messages, st.sampled_from(STATES), counts, st.integers(1, 4 * 10**12))
def test_an_unchanged_standing_comes_with_the_line_as_it_is_now(message, state, number, deadline):
    now = standing(message, state, number, 0, deadline_ms=deadline, admitted_ms=1)
    before = replace(now, waiting=1, lobby=2, queue_state="lobby", pace="1.5 0 1 60 0")

    told = json.loads(Frames(message).unchanged("1", before))

    right = api_body(message, "1", replace(now, waiting=message.waiting))
    assert told == right | {"token": None}


@settings(deadline=None)
@given(messages, st.sampled_from(["ready", "admitted", "waiting", "lobby"]), counts)
def test_a_changed_standing_comes_with_a_new_token(message, state, number):
    found = standing(message, state, number, 0, deadline_ms=message.at_ms + 60_000, admitted_ms=1)

    told = json.loads(Frames(message).changed("42", found))

    held = read_token(told["token"])
    assert told == api_body(message, "42", found)
    assert (held.person, held.number, held.epoch) == ("42", number, message.epoch)


def test_only_who_is_inside_gets_an_address_to_go_to():
    message = TickMessage(7, epoch="e", queue_state="open", at_ms=1)

    go_to = {
        state: json.loads(Frames(message).changed("1", standing(message, state, 1, 0)))["go_to"]
        for state in [*STATES, "waiting"]
    }

    assert go_to.pop("admitted") == "/events/7/seats/"
    assert set(go_to.values()) == {None}


def test_a_shared_frame_contains_nothing_personal():
    message = TickMessage(7, epoch="e", queue_state="open", at_ms=1)
    shared = Frames(message)
    ann, ben = (standing(message, "lobby", 0, 0) for _ in range(2))

    assert shared.unchanged("1", ann) is shared.unchanged("2", ben)
    assert json.loads(shared.unchanged("1", ann))["token"] is None


@given(messages)
def test_a_tick_message_is_read_as_it_was_written(message):
    text = message.to_text()

    assert TickMessage.from_text(text) == message
    assert event_of(text) == message.event_id
    assert TickMessage.from_text(message.without_changes()) == replace(message, changes=[])


@given(messages)
def test_announcements_are_the_same_polled_and_pushed(message):
    polled, told = frames.announcements(message), frames.announcement_frames(message)

    outlook, notice = json.loads(told["outlook"]), json.loads(told["notice"])
    assert list(told) == ["outlook", "notice"]
    assert notice == {"type": "notice", "message": polled.pop("notice")}
    assert outlook == {"type": "outlook", **polled}


@pytest.mark.parametrize("message", [None, TickMessage(7)])
def test_without_a_tick_message_there_is_nothing_to_announce(message):
    assert frames.announcements(message) == {"notice": "", "sold_out": False, "grades": []}


def test_a_reconnect_frame_has_its_delay():
    assert json.loads(shutdown.reconnect_frame(321)) == {"type": "reconnect", "after_ms": 321}
