"""Reservations through the API: everything through its owner, losers at no cost."""

import json
from datetime import datetime, timedelta
from io import StringIO
from unittest.mock import ANY

import pytest
from django.core.management import call_command
from django.http import QueryDict
from django.test import Client

from reservations import services
from reservations.api.calls import CHOICES
from reservations.api.serializers import (
    MODES,
    ORDINARY_HOW,
    HowSerializer,
    WishSerializer,
    ordinary_wish,
    validated,
)
from reservations.models import HoldRequest, Reservation
from reservations.services import hold_requests
from tests.making import make_event, make_plan, seat_ids
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts import services as accounts
from ticketing.core import clock, redis
from waiting_queue.models import SaleQueue
from waiting_queue.services import join, move_queue

pytestmark = pytest.mark.django_db(transaction=True)
OWN = {"host": "testserver", "origin": "http://testserver", "accept-language": "en"}


class Browser:
    """Somebody who is logged in, at one event."""

    def __init__(self, user, event):
        self.user, self.event = user, event
        self.client = Client(headers=OWN)
        self.client.cookies["sessionid"] = logged_in(user)

    def ask(self, method, path="", body=None, **headers):
        return self.client.generic(
            method,
            f"/api/v1/events/{self.event.pk}/{path}",
            json.dumps(body) if body is not None else "",
            content_type="application/json",
            headers=OWN | headers,
        )

    def hold(self, *seats, mode="", **headers):
        return self.wish({"seats": seats}, mode=mode, **headers)

    def wish(self, body, mode="", **headers):
        return self.ask("POST", f"reservations/{mode}", body, **headers)

    def look(self, code):
        return self.ask("GET", f"reservations/{code}/")


@pytest.fixture
def ann(fan, event):
    return Browser(fan, event)


@pytest.fixture
def ben(rival, event):
    return Browser(rival, event)


def test_seats_are_held_and_shown(ann, event):
    one, two, *_ = seat_ids(event)

    answer = ann.hold(one, two)

    body = answer.json()
    assert answer.status_code == 201
    assert answer["Cache-Control"] == "no-store"
    assert (body["state"], body["total"], body["currency"]) == ("HELD", 308_000, "KRW")
    assert [seat["id"] for seat in body["seats"]] == [one, two]
    same = ("code", "event", "state", "seats", "total", "created_at", "deadline")
    again = ann.look(body["code"]).json()
    assert [again[name] for name in same] == [body[name] for name in same]
    assert [each["code"] for each in ann.ask("GET", "reservations/").json()] == [body["code"]]


def test_the_conflict_names_the_seats(ann, ben, event):
    one, two, *_ = seat_ids(event)
    deadline = ben.hold(two).json()["deadline"]

    answer = ann.hold(one, two)

    assert answer.status_code == 409
    assert answer.json() == {
        "code": "seat_taken",
        "message": "Someone else was faster.",
        "details": {"seats": [two], "taken": [{"seat": two, "why": "held", "until": ANY}]},
    }
    until = datetime.fromisoformat(answer.json()["details"]["taken"][0]["until"])
    assert abs(until - datetime.fromisoformat(deadline)) < timedelta(milliseconds=1)


def test_nobody_sees_or_ends_what_is_anothers(ann, ben, event):
    code = ann.hold(seat_ids(event)[0]).json()["code"]

    assert ben.look(code).status_code == 404
    assert ben.ask("DELETE", f"reservations/{code}/").status_code == 404
    assert ben.ask("GET", "reservations/").json() == []
    assert ann.look(code).json()["state"] == "HELD"


def test_seats_are_given_back(ann, ben, event):
    one, *_ = seat_ids(event)
    code = ann.hold(one).json()["code"]

    answer = ann.ask("DELETE", f"reservations/{code}/")

    assert (answer.status_code, answer.json()["state"]) == (200, "RELEASED")
    assert ben.hold(one).status_code == 201


def test_the_best_and_places(ann, now):
    ann.event = make_event(now, plan=make_plan(standing=5))

    best = ann.wish({"best": {"grade": "R", "quantity": 2}})
    places = ann.wish({"places": {"section": "F", "quantity": 2}})

    assert (best.status_code, places.status_code) == (201, 201)
    assert {seat["section"] for seat in places.json()["seats"]} == {"F"}


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"seats": []},
        {"seats": "all"},
        {"seats": [0]},
        {"seats": [2**63]},
        {"seats": [1], "best": {"grade": "R", "quantity": 1}},
        {"best": {"grade": "R", "quantity": 0}},
        {"places": {"quantity": 1}},
    ],
)
def test_nonsense_is_refused(ann, wish):
    answer = ann.wish(wish)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")


@pytest.mark.parametrize(
    "wish",
    [
        *({"seats": seats} for seats in ([1], [1, 2], [2**63 - 1], list(range(1, 101)))),
        {"best": {"grade": "R", "quantity": 2}},
        {"places": {"section": "스탠딩1", "quantity": 100}},
    ],
)
def test_an_ordinary_wish_is_what_the_serializer_would_read(wish):
    ((kind, mine),) = ordinary_wish(wish).items()
    serializer = WishSerializer(data=wish)
    serializer.is_valid(raise_exception=True)

    assert CHOICES[kind](mine) == CHOICES[kind](serializer.validated_data[kind])


@pytest.mark.parametrize(
    "wish",
    [
        *({"seats": seats} for seats in ([], ["1"], [True], [0], [2**63], [1] * 101, 1, None)),
        {"seats": [1], "best": {}},
        {"best": {"grade": "R", "quantity": True}},
        {"best": {"grade": "R", "quantity": 101}},
        {"best": {"grade": " R", "quantity": 1}},
        {"best": {"grade": "R" * 9, "quantity": 1}},
        {"best": {"grade": "R", "quantity": 1, "accessible": True}},
        {"places": {"quantity": 1}},
        {"places": {"section": 1, "quantity": 1}},
        {"other": [1]},
        [1],
        {},
    ],
)
def test_any_other_wish_is_read_field_by_field(wish):
    assert ordinary_wish(wish) is None


@pytest.mark.parametrize("mode", MODES)
def test_an_ordinary_mode_is_what_the_serializer_would_read(mode):
    query = f"mode={mode}"

    assert ORDINARY_HOW[query] == validated(HowSerializer, QueryDict(query))


@pytest.mark.parametrize("query", ["", "mode=", "mode=later", "mode=async&mode=now", "mode=%61uto"])
def test_any_other_mode_is_left_to_the_serializer(query):
    assert query not in ORDINARY_HOW


def test_seats_of_elsewhere_are_refused(ann):
    assert ann.hold(2**63 - 1).json()["code"] == "invalid_input"


def test_an_event_that_is_not_there(ann):
    for ann.event.pk in (0, 10**30):
        assert ann.hold(1).status_code == 404


def test_the_same_key_is_the_same_reservation(ann, event):
    one, two, *_ = seat_ids(event)
    first = ann.hold(one, **{"idempotency-key": "try-1"})
    again = ann.hold(one, **{"idempotency-key": "try-1"})
    other = ann.hold(two, **{"idempotency-key": "try-2"})

    assert [first.status_code, again.status_code, other.status_code] == [201, 200, 201]
    assert first.json()["code"] == again.json()["code"] != other.json()["code"]
    assert ann.hold(two, **{"idempotency-key": "x" * 65}).status_code == 400


def test_whoever_is_not_logged_in_is_asked_to(event):
    stranger = Client(headers=OWN)

    answer = stranger.get(f"/api/v1/events/{event.pk}/reservations/")

    assert (answer.status_code, answer.json()["code"]) == (401, "not_logged_in")
    assert answer["WWW-Authenticate"]


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_another_site_can_not_make_a_browser_hold_or_release(ann, event, origin):
    answer = ann.hold(seat_ids(event)[0], origin=origin)

    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
    assert not Reservation.objects.exists()


def test_a_program_uses_its_token(event, fan, now):
    _, secret = accounts.create_token(user=fan, name="robot", now=now)
    answer = Client().post(
        f"/api/v1/events/{event.pk}/reservations/",
        {"seats": seat_ids(event)[:1]},
        content_type="application/json",
        headers={"authorization": f"Bearer {secret}"},
    )

    assert answer.status_code == 201


def test_a_loser_costs_no_sql_and_a_winner_one_round_trip(
    ann, ben, event, django_assert_num_queries
):
    one, two, three, *_ = seat_ids(event)
    ben.hold(one)
    ann.hold(two)

    with django_assert_num_queries(0):
        assert ann.hold(one).status_code == 409
    with django_assert_num_queries(1):
        assert ann.hold(three).status_code == 201


def test_without_a_turn_nothing_is_held(ann, event, now):
    queue = SaleQueue.objects.create(event=event, opens_at=now)
    move_queue(event_id=queue.pk, to="open", by=None, now=now)

    answer = ann.hold(seat_ids(event)[0])

    assert (answer.status_code, answer.json()["code"]) == (403, "not_admitted")


def test_without_redis_nothing_new_is_held_but_what_is_there_is_shown(ann, event, settings):
    one, two, *_ = seat_ids(event)
    code = ann.hold(one).json()["code"]
    redis.client.cache_clear()
    redis.queue_client.cache_clear()
    try:
        settings.REDIS_URL = settings.QUEUE_REDIS_URL = "redis://127.0.0.1:1/0"
        refused, shown = ann.hold(two), ann.look(code)
    finally:
        redis.client.cache_clear()
        redis.queue_client.cache_clear()

    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert refused["Retry-After"]
    assert shown.json()["state"] == "HELD"
    assert Reservation.objects.count() == 1


def test_an_asynchronous_wish_is_taken_down_polled_and_fulfilled(ann, ben, event, monkeypatch):
    monkeypatch.setattr(hold_requests, "wake_worker", lambda: None)
    one, *_ = seat_ids(event)
    first, second = ann.hold(one, mode="?mode=async"), ben.hold(one, mode="?mode=async")
    addresses = [f"hold-requests/{answer.json()['code']}/" for answer in (first, second)]

    assert (first.status_code, first.json()["state"]) == (202, "PENDING")
    assert [answer.json()["place"] for answer in (first, second)] == [1, 2]
    assert ben.ask("GET", addresses[1]).json()["place"] == 2
    assert ben.ask("GET", addresses[0]).status_code == 404
    services.process_hold_requests(now=clock.now())

    won, lost = ann.ask("GET", addresses[0]).json(), ben.ask("GET", addresses[1]).json()
    assert (won["state"], lost["state"]) == ("SUCCESS", "FAILED")
    assert ann.look(won["reservation"]).json()["state"] == "HELD"
    assert lost["refusal"]["code"] == "seat_taken"
    assert lost["refusal"]["message"] == "Someone else was faster."


def test_only_named_seats_can_be_asked_for_later(ann):
    answer = ann.wish({"best": {"grade": "R", "quantity": 1}}, mode="?mode=async")

    assert answer.status_code == 400
    assert not HoldRequest.objects.exists()


def test_leaving_gives_everything_back(ann, event, now):
    queue = SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    move_queue(event_id=queue.pk, to="open", by=None, now=now)
    join(event_id=event.pk, person=str(ann.user.pk), now=now)
    ann.hold(seat_ids(event)[0])

    assert ann.ask("DELETE", "reservations/").json() == {"released": 1}
    assert ann.hold(seat_ids(event)[0]).json()["code"] == "not_admitted"


def test_the_document_knows_every_answer():
    out = StringIO()
    call_command(
        *("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json"), stdout=out
    )
    paths = json.loads(out.getvalue())["paths"]
    hold = paths["/api/v1/events/{event_id}/reservations/"]["post"]

    known = {"200", "201", "202", "400", "401", "403", "404", "409", "429", "503"}
    assert known == set(hold["responses"])
    codes = hold["responses"]["409"]["content"]["application/json"]["examples"]
    assert {"SeatTaken", "SoldOut", "TooManySeats"} <= set(codes)


def test_somebody_elses_event_is_not_mixed_up(ann, event, now):
    code = ann.hold(seat_ids(event)[0]).json()["code"]
    ann.event = make_event(now)

    assert ann.look(code).status_code == 404
