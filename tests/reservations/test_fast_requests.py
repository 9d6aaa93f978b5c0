"""Asynchronous requests on the fast path: the view's own answers, many in one statement."""

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from reservations.models import HoldRequest, RequestedSeat
from reservations.services import hold_requests
from tests.making import seat_ids
from tests.reservations.test_fast_hold import ann, ben, crowd_of, http, only_fast_path
from ticketing.core import clock

__all__ = ["ann", "ben", "http", "only_fast_path"]
pytestmark = pytest.mark.django_db(transaction=True)
MANY = 40


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    monkeypatch.setattr(hold_requests, "wake_worker", lambda: None)


@pytest.fixture
def statements(monkeypatch):
    """How many requests each statement accepted."""
    sizes, real = [], hold_requests.arows

    async def noted(statement, values):
        sizes.append(len(values["codes"]))
        return await real(statement, values)

    monkeypatch.setattr(hold_requests, "arows", noted)
    return sizes


async def ask(browser, *seats, mode="async", **headers):
    return await browser.send(json.dumps({"seats": seats}), query=f"?mode={mode}", **headers)


async def test_a_request_is_told_as_the_view_tells_it(ann, ben, event, only_fast_path):
    one, two, *_ = await sync_to_async(seat_ids)(event)
    client = Client(headers={"host": "testserver"})
    address, body = f"{ben.address}?mode=async", json.dumps({"seats": [two]})

    fast = await ask(ann, one)
    view = await sync_to_async(client.post)(address, body, "application/json", headers=ben.headers)

    assert (fast.status_code, view.status_code) == (202, 202)
    told, expected = fast.json(), view.json()
    assert told.keys() == expected.keys()
    same = ("event", "state", "place", "reservation", "refusal", "next_poll_ms")
    assert [told[name] for name in same] == [expected[name] for name in same]


async def test_requests_of_one_moment_share_statements_and_each_has_its_place(
    http, event, only_fast_path, statements
):
    one, *_ = await sync_to_async(seat_ids)(event)
    crowd = await sync_to_async(crowd_of)(http, event, MANY)

    answers = await asyncio.gather(*(ask(buyer, one) for buyer in crowd))

    assert {answer.status_code for answer in answers} == {202}
    assert sorted(answer.json()["place"] for answer in answers) == list(range(1, MANY + 1))
    assert sum(statements) == await RequestedSeat.objects.acount() == MANY
    assert len(statements) < MANY / 2
    by_place = sorted(answers, key=lambda answer: answer.json()["place"])
    in_order = [code async for code in HoldRequest.objects.values_list("code", flat=True)]
    assert [answer.json()["code"] for answer in by_place] == in_order


async def test_control_without_batches_each_has_its_own_statement(
    http, event, only_fast_path, statements, monkeypatch
):
    monkeypatch.setattr(hold_requests, "MOST_IN_BATCH", 1)
    one, *_ = await sync_to_async(seat_ids)(event)
    crowd = await sync_to_async(crowd_of)(http, event, MANY)

    await asyncio.gather(*(ask(buyer, one) for buyer in crowd))

    assert statements == [1] * MANY


async def test_the_same_key_many_times_at_once_is_one_request(ann, event, only_fast_path):
    one, *_ = await sync_to_async(seat_ids)(event)

    answers = await asyncio.gather(*(ask(ann, one, idempotency_key="k'\"\\") for _ in range(8)))

    assert len({answer.json()["code"] for answer in answers}) == 1
    assert await HoldRequest.objects.acount() == 1


async def test_one_that_can_not_be_stored_fails_alone(ann, ben, event, fan, rival, monkeypatch):
    one, *_ = await sync_to_async(seat_ids)(event)
    whose = {"event_id": event.pk, "seats": [one], "created_at": clock.now()}
    good = [HoldRequest(fan_id=who.pk, **whose) for who in (fan, rival)]
    bad = HoldRequest(fan_id=0, **whose)

    answers = await hold_requests._aaccept([good[0], bad, good[1]])

    assert [isinstance(answer, Exception) for answer in answers] == [False, True, False]
    assert [request.place for request in good] == [1, 2]


async def test_the_map_asks_once_and_gets_the_seat_or_a_place(ann, ben, event, only_fast_path):
    one, two, *_ = await sync_to_async(seat_ids)(event)
    await ask(ben, two)

    held, waiting = await ask(ann, one, mode="auto"), await ask(ann, one, two, mode="auto")

    assert (held.status_code, held.json()["state"]) == (201, "HELD")
    assert (waiting.status_code, waiting.json()["place"]) == (202, 2)


async def test_the_best_are_never_waited_for(ann, event, only_fast_path):
    best = json.dumps({"best": {"grade": "R", "quantity": 1}})

    assert (await ann.send(best, query="?mode=auto")).status_code == 201
    assert (await ann.send(best, query="?mode=async")).status_code == 400


async def test_an_unknown_mode_is_refused_by_the_view(ann, event):
    one, *_ = await sync_to_async(seat_ids)(event)

    answer = await ask(ann, one, mode="soon")

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")
