"""Holding on the fast path: the view's own answers, and threads only for those who may try."""

import asyncio
import json
from collections import Counter
from datetime import timedelta

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connections
from django.test import Client

from reservations import gate, locks, services
from reservations.models import Reservation
from reservations.services import holds
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts import services as accounts
from ticketing.asgi import application
from ticketing.core import clock, redis
from ticketing.core.async_database import AsyncDatabase, close_async_database
from ticketing.events.models import Event, Seat
from waiting_queue.models import SaleQueue
from waiting_queue.services import move_queue

pytestmark = pytest.mark.django_db(transaction=True)
OWN = "http://testserver"


@pytest.fixture
async def http(transactional_db, monkeypatch):
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
        yield client
    await redis.close_async_clients()
    close_async_database()
    await sync_to_async(connections.close_all)()


class Browser:
    """Somebody who is logged in, at one event."""

    def __init__(self, http, user, event):
        self.http, self.address = http, f"/api/v1/events/{event.pk}/reservations/"
        self.headers = {"cookie": f"sessionid={logged_in(user)}", "origin": OWN}
        self.headers |= {"content-type": "application/json", "accept-language": "en"}

    async def hold(self, *seats, **headers):
        return await self.send(json.dumps({"seats": seats}), **headers)

    async def send(self, content, query="", **headers):
        sent = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if value}
        return await self.http.post(self.address + query, content=content, headers=sent)

    def hold_by_the_view(self, *seats):
        """The same call without the fast path in front."""
        client = Client(headers={"host": "testserver"})
        body = json.dumps({"seats": seats})
        return client.post(self.address, body, "application/json", headers=self.headers)


def crowd_of(http, event, size):
    return [Browser(http, make_user(password=None), event) for _ in range(size)]


@pytest.fixture
def ann(http, fan, event):
    return Browser(http, fan, event)


@pytest.fixture
def ben(http, rival, event):
    return Browser(http, rival, event)


@pytest.fixture
def only_fast_path(monkeypatch):
    """Nobody gets through to Django."""

    async def shut(scope, receive, send):
        raise AssertionError("this went on to Django")

    monkeypatch.setattr("ticketing.asgi.site.fallback", shut)


@pytest.fixture
def no_thread(monkeypatch):
    """Nobody gets as far as the database, in a thread or not."""

    async def refuse(*args, **kwargs):
        raise AssertionError("this went to the database")

    def shut():
        monkeypatch.setattr(holds, "in_thread", refuse)
        monkeypatch.setattr(locks, "ahold_seats", refuse)

    return shut


async def test_a_hold_is_told_as_the_view_tells_it(ann, ben, event, only_fast_path):
    one, two, *_ = await sync_to_async(seat_ids)(event)

    fast = await ann.hold(one)
    view = await sync_to_async(ben.hold_by_the_view)(two)

    assert (fast.status_code, view.status_code) == (201, 201)
    assert fast.headers["cache-control"] == "no-store"
    told, expected = fast.json(), view.json()
    assert told.keys() == expected.keys()
    for name in ("event", "state", "total", "currency"):
        assert told[name] == expected[name]
    for name in ("created_at", "deadline", "server_time"):
        assert [told[name][at] for at in (4, 10, -1)] == ["-", "T", "Z"]
        assert len(told[name]) == len(expected[name])


async def test_the_best_are_given_too(ann, event, only_fast_path):
    best = json.dumps({"best": {"grade": "R", "quantity": 2}})

    answer = await ann.send(best)

    assert (answer.status_code, len(answer.json()["seats"])) == (201, 2)


async def test_a_hold_takes_no_thread_and_one_statement(ann, event, only_fast_path, monkeypatch):
    one, two, *_ = await sync_to_async(seat_ids)(event)
    await ann.hold(one)

    async def refuse(*args):
        raise AssertionError("this took a thread")

    monkeypatch.setattr(holds, "in_thread", refuse)

    assert (await ann.hold(two)).status_code == 201


async def test_a_hold_that_ran_out_is_taken_over(ann, ben, event, only_fast_path):
    one, *_ = await sync_to_async(seat_ids)(event)
    await ben.hold(one)
    past = clock.now() - timedelta(seconds=1)
    await Reservation.objects.aupdate(created_at=past - timedelta(hours=1), deadline=past)
    await sync_to_async(gate.rebuild)(event.pk, {})

    answer = await ann.hold(one)

    assert answer.status_code == 201
    states = [it.state async for it in Reservation.objects.order_by("pk")]
    assert states == ["expired", "held"]


async def test_orphans_are_refused_where_the_event_wants_none(ann, event, only_fast_path):
    one, two, *_ = await sync_to_async(seat_ids)(event)
    await Event.objects.aupdate(no_orphans=True)

    for _ in range(2):  # also when the rule is known already
        answer = await ann.hold(two)
        assert (answer.status_code, answer.json()["code"]) == (409, "leaves_orphan")
    assert (await ann.hold(one, two)).status_code == 201


async def test_after_a_refusal_the_gate_is_open_again(ann, ben, event, only_fast_path):
    seats = await sync_to_async(seat_ids)(event)

    refused = await ann.hold(*seats[:5])

    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_seats")
    assert (await ben.hold(*seats[:4])).status_code == 201


async def test_a_lost_database_is_an_outage_and_opens_the_gate(
    ann, ben, event, only_fast_path, monkeypatch
):
    one, *_ = await sync_to_async(seat_ids)(event)

    async def lost(*args, **kwargs):
        raise OperationalError("the connection to PostgreSQL was lost")

    with monkeypatch.context() as outage:
        outage.setattr(AsyncDatabase, "fetch_row", lost)
        answer = await ann.hold(one)

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert (await ben.hold(one)).status_code == 201


async def test_everybody_who_asks_for_the_best_at_once_gets_some(http, now, only_fast_path):
    plan = await sync_to_async(make_plan)(rows=4, seats_per_row=20)
    event = await sync_to_async(make_event)(now, plan=plan)
    crowd = await sync_to_async(crowd_of)(http, event, 20)
    wish = json.dumps({"best": {"grade": "R", "quantity": 2}})

    answers = await asyncio.gather(*(buyer.send(wish) for buyer in crowd))

    seats = [seat["id"] for answer in answers for seat in answer.json()["seats"]]
    assert len(set(seats)) == 40


async def test_losers_are_told_the_same_and_take_no_thread(
    ann, ben, event, only_fast_path, no_thread
):
    one, two, *_ = await sync_to_async(seat_ids)(event)
    await ben.hold(one)
    no_thread()

    fast = await ann.hold(one, two)

    view = await sync_to_async(ann.hold_by_the_view)(one, two)
    assert fast.status_code == view.status_code == 409
    assert fast.json() == view.json()
    assert fast.json()["details"]["seats"] == [one]


async def test_sold_out_is_said_without_a_thread(ann, event, only_fast_path, no_thread):
    one, *_ = await sync_to_async(seat_ids)(event)
    await Seat.objects.filter(event=event).aupdate(state="sold")
    await sync_to_async(services.recount_seats)(event_id=event.pk)
    no_thread()

    answer = await ann.hold(one)

    assert (answer.status_code, answer.json()["code"]) == (409, "sold_out")


async def test_refusals_speak_the_callers_language(ann, ben, event, only_fast_path):
    one, *_ = await sync_to_async(seat_ids)(event)
    await ben.hold(one)

    answer = await ann.hold(one, accept_language="ko")

    assert "선택" in answer.json()["message"]


async def test_only_people_inside_hold(ann, fan, event, now, only_fast_path, no_thread):
    one, *_ = await sync_to_async(seat_ids)(event)
    await SaleQueue.objects.acreate(event=event, opens_at=now)
    await sync_to_async(move_queue)(event_id=event.pk, to="open", by=None, now=clock.now())
    no_thread()

    answer = await ann.hold(one)

    assert (answer.status_code, answer.json()["code"]) == (403, "not_admitted")
    assert not await Reservation.objects.aexists()


async def test_another_site_can_make_nobody_hold(ann, event, only_fast_path):
    one, *_ = await sync_to_async(seat_ids)(event)

    answer = await ann.hold(one, origin="https://elsewhere.example")

    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
    assert not await Reservation.objects.aexists()


async def test_a_repeat_with_the_same_key_finds_the_first(ann, event, only_fast_path):
    one, *_ = await sync_to_async(seat_ids)(event)
    first = await ann.hold(one, idempotency_key="k-1")

    again = await ann.hold(one, idempotency_key="k-1")

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["code"] == first.json()["code"]


async def test_who_tries_too_often_waits_and_costs_nothing(
    ann, ben, event, settings, only_fast_path, no_thread
):
    settings.HOLD_TRIES = 3
    one, two, *_ = await sync_to_async(seat_ids)(event)
    await ben.hold(one)
    tried = await asyncio.gather(*(ann.hold(one) for _ in range(5)))
    no_thread()

    too_often = await ann.hold(two)

    statuses = Counter(answer.status_code for answer in tried)
    assert statuses == {409: 3, 429: 2}
    assert (too_often.status_code, too_often.json()["code"]) == (429, "too_many_requests")
    assert 1 <= int(too_often.headers["retry-after"]) <= 10


async def test_a_server_that_forgot_the_script_is_told_it_again(ann, event, only_fast_path):
    one, *_ = await sync_to_async(seat_ids)(event)
    await sync_to_async(redis.client().script_flush)()

    assert (await ann.hold(one)).status_code == 201


async def test_of_a_crowd_on_one_seat_one_wins(http, event, only_fast_path):
    one, *_ = await sync_to_async(seat_ids)(event)
    crowd = await sync_to_async(crowd_of)(http, event, 20)

    answers = await asyncio.gather(*(buyer.hold(one) for buyer in crowd))

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 19}
    assert await Reservation.objects.acount() == 1


async def test_with_the_gate_left_open_the_database_still_lets_one_win(http, event, monkeypatch):
    async def open_gate(*args):
        return None

    monkeypatch.setattr("reservations.gate.abegin_attempt", open_gate)
    one, *_ = await sync_to_async(seat_ids)(event)
    crowd = await sync_to_async(crowd_of)(http, event, 20)

    answers = await asyncio.gather(*(buyer.hold(one) for buyer in crowd))

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 19}


# -- what is out of the ordinary is answered by the view, which hears all of it --------------------


async def test_what_can_not_be_read_is_refused_by_the_view(ann, event):
    for content in ("{", '{"seats": ["x"]}', '{"seats": []}', "[]", '{"seats": [1], "best": {}}'):
        answer = await ann.send(content)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input"), content


async def test_strange_kinds_and_large_bodies_are_the_views(ann, event):
    one, *_ = await sync_to_async(seat_ids)(event)
    wish = json.dumps({"seats": [one]})

    assert (await ann.send(wish, content_type="text/plain")).status_code == 415
    assert (await ann.send(wish, accept="text/csv")).status_code == 406
    assert (await ann.send(wish, idempotency_key="k" * 65)).status_code == 400
    assert (await ann.send(wish.ljust(2_000))).status_code == 201


async def test_a_body_of_unknown_length_is_read(ann, event):
    one, *_ = await sync_to_async(seat_ids)(event)

    async def pieces():
        yield b'{"seats":'
        yield b" [%d]}" % one

    answer = await ann.send(pieces())

    assert answer.status_code == 201


async def test_strangers_are_asked_to_log_in(ann, event):
    one, *_ = await sync_to_async(seat_ids)(event)

    for cookie in ("", "sessionid=unknown"):
        answer = await ann.hold(one, cookie=cookie)
        assert (answer.status_code, answer.json()["code"]) == (401, "not_logged_in")


async def test_an_api_token_comes_before_a_session(ann, rival, event):
    one, *_ = await sync_to_async(seat_ids)(event)
    made = sync_to_async(accounts.create_token)
    _, secret = await made(user=rival, name="script", now=clock.now())

    answer = await ann.hold(one, authorization=f"Bearer {secret}")

    held = await Reservation.objects.aget(code=answer.json()["code"])
    assert held.fan_id == rival.pk
