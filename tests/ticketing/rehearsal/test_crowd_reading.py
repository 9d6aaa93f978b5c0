"""What the people understand of what the site says."""

import json
from random import Random

import pytest

from ticketing.rehearsal.simulator.users.answers import (
    Answer,
    brings_token,
    csrf_token,
    glimpse,
    is_standing,
    told_in,
)
from ticketing.rehearsal.simulator.users.bots import spoilt
from ticketing.rehearsal.simulator.users.hall import Hall, numbers, states_of
from waiting_queue.live.frames import Frames
from waiting_queue.tick_message import TickMessage

ROW = {"numbers": [1, [1, 5]], "y": [20, [0, 5]], "grades": [0, [0, 5]], "x": [20, [20, 5]]}
LIST = {
    "grades": [{"code": "R"}, {"code": "S"}],
    "sections": [
        {
            "code": "A",
            "rows": [
                {**ROW, "row": "2", "ids": [201, [1, 5]], "y": [40, [0, 5]]},
                {**ROW, "row": "1", "ids": [101, [1, 5]], "accessible": [2], "companion": [3]},
            ],
            "standing": [],
        },
        {"code": "F", "rows": [], "standing": [{"grade": 0, "left": 3, "total": 5}]},
    ],
    "states": "aaaaaaaaaaaa",
}


def refused(status, code="", **headers):
    return Answer(status, 0, 1, json.dumps({"code": code}).encode(), headers)


def test_steps_are_read_as_the_docs_say():
    assert numbers([7, [1, 3], 10]) == [7, 8, 9, 10, 20]


def test_the_letters_of_a_list_are_found_without_reading_it():
    assert states_of(json.dumps(LIST, separators=(",", ":")).encode()) == "a" * 12


def test_popular_seats_are_the_same_for_everybody_and_nearest_to_the_stage():
    hall = Hall(LIST)
    chosen = [hall.choose("a" * 12, 2, Random(seed), popular=True) for seed in range(20)]

    assert hall.stretches[0].ids[0] // 100 == 1
    assert max(chosen.count(seats) for seats in chosen) > 5


def test_only_free_ordinary_seats_side_by_side_are_chosen():
    hall = Hall(LIST)
    states = "hsbaahaaaaaa"
    chosen = {tuple(hall.choose(states, 2, Random(seed), popular=False)) for seed in range(50)}

    assert chosen == {(204, 205), (101, 102), (105, 106)}
    assert hall.choose(states, 3, Random(1), popular=False) == []
    assert hall.floors == ["F"]
    assert hall.grade_of(204) == "R"


def test_a_frame_of_the_site_is_understood_at_a_glance():
    frames = Frames(TickMessage(7, queue_state="open", waiting=500, fast=10, slow=9, at_ms=10**12))
    text = frames.waiting(5124, 41)

    assert is_standing(text)
    assert glimpse(text) == ("WAITING", "5124")
    assert not brings_token(text)


def test_the_form_of_the_payment_window_is_found():
    page = b'<form><input type="hidden" name="csrfmiddlewaretoken" value="abc123"></form>'

    assert csrf_token(page) == "abc123"
    assert told_in("/payments/pay-1/return/?paymentId=pay-1&txId=t%2F1") == {
        "paymentId": "pay-1",
        "txId": "t/1",
    }


@pytest.mark.parametrize("status", [0, 429, 500, 502, 503, 504])
def test_a_fault_is_a_reason_to_wait_and_never_to_give_up(status):
    assert refused(status).says_wait


@pytest.mark.parametrize(("status", "code"), [(409, "seat_taken"), (403, "x"), (200, "")])
def test_an_answer_is_an_answer(status, code):
    assert not refused(status, code).says_wait


def test_people_wait_as_long_as_they_are_told_and_else_longer_each_time():
    assert 5 <= refused(503, **{"Retry-After": "5"}).wait_seconds(0, 0.3) <= 7.5
    waits = [refused(0).wait_seconds(attempt, 0.5) for attempt in range(12)]
    assert waits == sorted(waits)
    assert max(waits) <= 45


def test_a_spoilt_token_is_another_one_of_the_same_length():
    for token in ("qr_abcdefgh", "qr_AAAAAAAAA", "x"):
        assert spoilt(token) != token
        assert len(spoilt(token)) == len(token)
