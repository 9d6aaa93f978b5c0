"""Parsing of the site's responses, frames and seat list."""

import json
from random import Random

import pytest

from ticketing.rehearsal.simulator.users.bots import tampered
from ticketing.rehearsal.simulator.users.responses import (
    Response,
    brings_token,
    csrf_token,
    is_standing,
    peek_standing,
    redirect_params,
)
from ticketing.rehearsal.simulator.users.seat_layout import SeatLayout, numbers, states_of
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
    return Response(status, 0, 1, json.dumps({"code": code}).encode(), headers)


def test_differences_are_decoded_as_documented():
    assert numbers([7, [1, 3], 10]) == [7, 8, 9, 10, 20]


def test_the_letters_of_a_list_are_found_without_reading_it():
    assert states_of(json.dumps(LIST, separators=(",", ":")).encode()) == "a" * 12


def test_popular_seats_are_the_same_for_everybody_and_nearest_to_the_stage():
    layout = SeatLayout(LIST)
    chosen = [layout.choose("a" * 12, 2, Random(seed), popular=True) for seed in range(20)]

    assert layout.blocks[0].ids[0] // 100 == 1
    assert max(chosen.count(seats) for seats in chosen) > 5


def test_only_free_ordinary_seats_side_by_side_are_chosen():
    layout = SeatLayout(LIST)
    states = "hsbaahaaaaaa"
    chosen = {tuple(layout.choose(states, 2, Random(seed), popular=False)) for seed in range(50)}

    assert chosen == {(204, 205), (101, 102), (105, 106)}
    assert layout.choose(states, 3, Random(1), popular=False) == []
    assert layout.standing_sections == ["F"]
    assert layout.grade_of(204) == "R"


def test_state_and_number_of_a_frame_are_found_without_parsing():
    frames = Frames(TickMessage(7, queue_state="open", waiting=500, at_ms=10**12))
    text = frames.waiting(5124, 41)

    assert is_standing(text)
    assert peek_standing(text) == ("WAITING", "5124")
    assert not brings_token(text)


def test_the_form_of_the_payment_window_is_found():
    page = b'<form><input type="hidden" name="csrfmiddlewaretoken" value="abc123"></form>'

    assert csrf_token(page) == "abc123"
    assert redirect_params("/payments/pay-1/return/?paymentId=pay-1&txId=t%2F1") == {
        "paymentId": "pay-1",
        "txId": "t/1",
    }


@pytest.mark.parametrize("status", [0, 429, 500, 502, 503, 504])
def test_a_fault_is_retried(status):
    assert refused(status).asks_to_retry


@pytest.mark.parametrize(("status", "code"), [(409, "seat_taken"), (403, "x"), (200, "")])
def test_control_other_answers_are_not_retried(status, code):
    assert not refused(status, code).asks_to_retry


def test_users_wait_by_retry_after_and_else_longer_each_time():
    assert 5 <= refused(503, **{"Retry-After": "5"}).retry_delay(0, 0.3) <= 7.5
    waits = [refused(0).retry_delay(attempt, 0.5) for attempt in range(12)]
    assert waits == sorted(waits)
    assert max(waits) <= 45


def test_a_tampered_token_is_another_one_of_the_same_length():
    for token in ("qr_abcdefgh", "qr_AAAAAAAAA", "x"):
        assert tampered(token) != token
        assert len(tampered(token)) == len(token)
