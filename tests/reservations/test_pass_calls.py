"""Holding with a pass, taking it over, and the short addresses: over HTTP, on both ways."""

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from reservations.models import Reservation
from tests.making import seat_ids
from tests.reservations.test_fast_hold import OWN, http
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts.services import create_token
from ticketing.core import clock
from ticketing.core.browsers import browser_of
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue
from waiting_queue.tokens import QueueToken

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["http"]
COOKIES = {name: f"browser={name * 22}" for name in "AB"}


class Browsers:
    """The browsers of one person, at one event."""

    def __init__(self, http, user, event):
        self.http, self.user, self.event = http, user, event
        self.session = logged_in(user)
        self.mark = {name: browser_of({"cookie": cookie}).mark for name, cookie in COOKIES.items()}

    def headers(self, browser="", **more):
        cookie = "; ".join(filter(None, [f"sessionid={self.session}", COOKIES.get(browser)]))
        return {"cookie": cookie, "origin": OWN, "accept-language": "en"} | more

    async def post(self, path, headers, body=None):
        address = f"/api/v1/events/{self.event.pk}/{path}"
        content = json.dumps(body) if body is not None else None
        headers = headers | ({"content-type": "application/json"} if content else {})
        return await self.http.post(address, content=content, headers=headers)

    async def hold(self, browser, seat, path="reservations/"):
        return await self.post(path, self.headers(browser), {"seats": [seat]})

    async def hold_by_pass(self, token, seat, path="reservations/", **headers):
        return await self.post(
            path, {"authorization": f"Bearer {token}"} | headers, {"seats": [seat]}
        )

    async def take_over(self, browser, **headers):
        return await self.post("queue/take-over/", self.headers(browser, **headers))

    async def poll(self, browser):
        address = f"/api/v1/events/{self.event.pk}/queue/"
        return (await self.http.get(address, headers=self.headers(browser))).json()

    def hold_by_the_view(self, headers, seat):
        client = Client(headers={"host": "testserver"})
        address = f"/api/v1/events/{self.event.pk}/reservations/"
        body = json.dumps({"seats": [seat]})
        return client.post(address, body, "application/json", headers=headers)


@pytest.fixture
def ann(http, fan, event, now):
    """Inside with browser A."""
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=clock.now())
    browsers = Browsers(http, fan, event)
    person, mark = str(fan.pk), browsers.mark["A"]
    queue.join(event_id=event.pk, person=person, now=clock.now(), browser=mark)
    return browsers


@pytest.fixture
def seats(event):
    return seat_ids(event)


def outcome(response):
    return response.status_code, response.json().get("code", "") if response.is_error else ""


ELSEWHERE = (403, "pass_elsewhere")


async def test_another_browser_is_refused_until_it_takes_over_and_then_the_first(ann, seats):
    before = [await ann.hold("A", seats[0]), await ann.hold("B", seats[1])]
    taken = await ann.take_over("B")
    after = [await ann.hold("A", seats[2]), await ann.hold("B", seats[1])]

    assert [outcome(one) for one in before] == [(201, ""), ELSEWHERE]
    assert taken.status_code == 200
    assert taken.json()["token"].startswith("qr_")
    assert [outcome(one) for one in after] == [ELSEWHERE, (201, "")]


async def test_a_refusal_says_what_to_do(ann, seats):
    refused = await ann.hold("B", seats[0])

    assert "another browser" in refused.json()["message"]


async def test_two_tabs_of_one_browser_hold_seats(ann, seats):
    answers = await asyncio.gather(*(ann.hold("A", seat) for seat in seats[:2]))

    assert [one.status_code for one in answers] == [201, 201]


async def test_a_new_browser_that_takes_over_gets_its_cookie(ann, seats):
    taken = await ann.take_over("")
    cookie = taken.headers["set-cookie"].partition(";")[0]
    headers = ann.headers() | {"cookie": f"sessionid={ann.session}; {cookie}"}

    held = await ann.post("reservations/", headers, {"seats": [seats[0]]})

    assert held.status_code == 201


async def test_two_browsers_that_take_over_at_the_same_moment_one_has_it(ann, seats):
    await asyncio.gather(ann.take_over("A"), ann.take_over("B"), ann.take_over("A"))

    here = [name for name in "AB" if not (await ann.poll(name))["elsewhere"]]
    holds = [outcome(await ann.hold(name, seat)) for name, seat in zip("AB", seats, strict=False)]

    assert len(here) == 1
    assert sorted(holds) == [(201, ""), ELSEWHERE]
    assert holds["AB".index(here[0])] == (201, "")


async def test_taking_over_needs_an_account_and_our_own_page(ann):
    pass_ = (await ann.poll("A"))["token"]

    by_pass = await ann.post("queue/take-over/", {"authorization": f"Bearer {pass_}"})
    nobody = await ann.post("queue/take-over/", {"origin": OWN})
    foreign = await ann.take_over("B", origin="https://evil.example")

    assert [outcome(one) for one in (by_pass, nobody, foreign)] == [
        *[(401, "not_logged_in")] * 2,
        (403, "foreign_origin"),
    ]
    assert not (await ann.poll("A"))["elsewhere"]


async def test_an_api_token_is_a_program_of_its_own(ann, seats, fan):
    _, secret = await sync_to_async(create_token)(user=fan, name="script", now=clock.now())
    program = {"authorization": f"Bearer {secret}"}

    before = await ann.post("reservations/", program, {"seats": [seats[0]]})
    taken = await ann.post("queue/take-over/", program)
    after = await ann.post("reservations/", program, {"seats": [seats[0]]})

    assert [outcome(one) for one in (before, taken, after)] == [ELSEWHERE, (200, ""), (201, "")]
    assert "set-cookie" not in taken.headers


# -- the pass instead of a session -----------------------------------------------------------------


async def test_a_pass_holds_seats_without_a_session_and_without_an_origin(ann, seats, fan):
    pass_ = (await ann.poll("A"))["token"]

    held = await ann.hold_by_pass(pass_, seats[0])

    assert held.status_code == 201
    assert held.json()["payment_token"].startswith("qp_")
    assert (await Reservation.objects.aget()).fan_id == fan.pk


async def test_a_pass_comes_before_a_cookie(ann, seats):
    """The page of another browser that has the pass may use it: it was given to the person."""
    pass_ = (await ann.poll("A"))["token"]

    held = await ann.hold_by_pass(pass_, seats[0], cookie=ann.headers("B")["cookie"])

    assert held.status_code == 201


async def test_a_pass_does_not_survive_its_take_over(ann, seats):
    pass_ = (await ann.poll("A"))["token"]
    await ann.take_over("B")

    assert outcome(await ann.hold_by_pass(pass_, seats[0])) == ELSEWHERE


async def test_what_is_no_pass_of_this_turn_is_refused(ann, seats, event, fan):
    place = await sync_to_async(queue.standing)(
        event_id=event.pk, person=str(fan.pk), now=clock.now()
    )
    mark, now = ann.mark["A"], clock.now()
    right = QueueToken(event.pk, str(fan.pk), place.number, place.epoch).as_pass(mark, now)
    wrong = {
        "a place in line": QueueToken(event.pk, str(fan.pk), place.number, place.epoch),
        "of another event": QueueToken(event.pk + 1, *_fields(right)),
        "of an earlier stay": QueueToken(event.pk, str(fan.pk), 99, place.epoch, mark, right.until),
        "of an earlier epoch": QueueToken(event.pk, str(fan.pk), 1, "e0", mark, right.until),
        "that ran out": QueueToken(event.pk, *_fields(right)[:-1], int(now.timestamp()) - 1),
    }

    found = {
        what: outcome(await ann.hold_by_pass(token.sign(), seats[0]))
        for what, token in wrong.items()
    }

    assert found == dict.fromkeys(wrong, (401, "bad_queue_token"))
    assert (await ann.hold_by_pass(right.sign(), seats[0])).status_code == 201


def _fields(token):
    return token.person, token.number, token.epoch, token.browser, token.until


async def test_both_ways_refuse_and_allow_the_same(ann, seats):
    """The fast path and the Django view, for each browser and for the pass."""
    pass_ = (await ann.poll("A"))["token"]
    shown = [ann.headers("A"), ann.headers("B"), ann.headers()]
    forged = pass_.replace(".", ".AAAA")
    shown += [{"authorization": f"Bearer {token}"} for token in (pass_, forged)]

    fast, view = [], []
    for headers, one, two in zip(shown, seats[0::2], seats[1::2], strict=False):
        fast.append(await ann.post("reservations/", headers, {"seats": [one]}))
        view.append(await sync_to_async(ann.hold_by_the_view)(headers, two))

    assert [one.status_code for one in fast] == [201, 403, 403, 201, 401]
    assert [one.status_code for one in view] == [one.status_code for one in fast]
    errors = [[one.json().get("code") for one in way][1:3] for way in (fast, view)]
    assert errors == [["pass_elsewhere"] * 2] * 2
    assert all("set-cookie" not in one.headers for one in fast)


# -- the short address -----------------------------------------------------------------------------


async def test_reserving_answers_with_a_pending_reservation_and_the_payment_token(ann, seats):
    held = await ann.hold("A", seats[0], "reserve/")

    told = held.json()
    assert held.status_code == 201
    assert (told["status"], told["seatIds"]) == ("PENDING", [seats[0]])
    assert told["token"].startswith("qp_")
    reservation = await Reservation.objects.aget()
    assert (told["reservationId"], told["total"]) == (reservation.code, reservation.total)


async def test_reserving_needs_the_pass_as_holding_does(ann, seats):
    pass_ = (await ann.poll("A"))["token"]

    answers = [
        await ann.hold("B", seats[0], "reserve/"),
        await ann.hold_by_pass(pass_, seats[0], "reserve/"),
        await ann.hold("A", seats[0], "reserve/"),
    ]

    assert [outcome(one) for one in answers] == [ELSEWHERE, (201, ""), (409, "seat_taken")]
