"""Every declared call answers the same on the fast path and as a Django view.

The calls are those of `ticketing.asgi.CALLS`. A new one is tested without a line here, unless its
path has more than an event in it or its success needs a body: then it gets a `Scenario`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async

from tests.making import make_event, make_plan, make_user, seat_ids
from tests.payments.buyers import Buyer
from tests.payments.conftest import paying_site
from tests.payments.sandbox_server import base, origin, shop
from tests.waiting_queue.api.conftest import logged_in
from ticketing import asgi
from ticketing.accounts import services as accounts
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.core.fast_path.calls import ApiCall
from ticketing.events.models import Event
from ticketing.events.seat_list.cached import seat_list
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)

OWN = "http://testserver"
# What every response must say alike on both ways; the test adds what only some responses have.
HEADERS = (
    *("content-type", "cache-control", "content-security-policy", "cross-origin-opener-policy"),
    *("x-content-type-options", "referrer-policy", "x-frame-options", "permissions-policy"),
    *("www-authenticate", "retry-after"),
)
# Fields that differ between two people or two moments: only their types are compared.
VOLATILE = {
    *("event", "id", "ids", "token", "payment_token", "next_poll_ms", "go_to"),
    *("turn", "socket_after_ms"),
    *("server_time", "deadline", "created_at"),
    *("number", "payment_key", "reservation", "payment_id", "order_name"),
    *("reservationId", "expiresAt", "seatIds"),
}


@dataclass(frozen=True)
class Visitor:
    """Somebody with an account, at one of two equal events."""

    user: User
    event: Event
    seat: int


@dataclass(frozen=True)
class Scenario:
    """What a call needs to succeed: the state of the queue, steps before it, a body."""

    queue_state: str = ""
    prepare: Callable[[Visitor], Any] = lambda visitor: None
    body: Callable[[Visitor], Any] | None = None
    # The text for the path's slug, after `prepare`; the cases about unknown events change it, too.
    slug: Callable[[Visitor], str] = lambda visitor: ""


def joined(visitor: Visitor) -> None:
    queue.join(event_id=visitor.event.pk, person=str(visitor.user.pk), now=clock.now())


def seats_kept(visitor: Visitor) -> None:
    seat_list(visitor.event.pk, known=[])


def buyer_of(visitor: Visitor) -> Buyer:
    """Holds the visitor's seat."""
    if visitor.user.pk not in BUYERS:
        seats = [visitor.seat]
        BUYERS[visitor.user.pk] = Buyer(visitor.event, visitor.user, clock.now(), seats=seats)
    return BUYERS[visitor.user.pk]


def begun(visitor: Visitor) -> None:
    buyer_of(visitor).start()


def agreed(visitor: Visitor) -> None:
    begun(visitor)
    TOKENS[visitor.user.pk] = buyer_of(visitor).agree()["paymentToken"]


def bought(visitor: Visitor) -> None:
    buyer_of(visitor).buy()


def order_of(visitor: Visitor) -> dict[str, str]:
    buyer = buyer_of(visitor)
    return {"reservation": buyer.code, "token": buyer.token, "payment_key": str(buyer.key)}


def number_of(visitor: Visitor) -> str:
    return buyer_of(visitor).payment.number


__all__ = ["base", "origin", "paying_site", "shop"]  # fixtures
# By person, because a visitor is a value.
BUYERS: dict[int, Buyer] = {}
TOKENS: dict[int, str] = {}
SCENARIOS = {
    "start_payment": Scenario(prepare=buyer_of, body=order_of),
    "show_payment": Scenario(prepare=begun, slug=number_of),
    "confirm_payment": Scenario(
        prepare=agreed,
        slug=number_of,
        body=lambda visitor: {"payment_token": TOKENS[visitor.user.pk]},
    ),
    "show_cancel_terms": Scenario(prepare=bought, slug=number_of),
    "cancel_order": Scenario(prepare=bought, slug=number_of, body=lambda visitor: {"fee": 0}),
    "show_standing": Scenario("paused", joined),
    "join_queue": Scenario("paused"),
    "join_queue_for_token": Scenario("paused"),
    "leave_queue": Scenario("paused", joined),
    "claim_place": Scenario("open", joined),
    "show_outlook": Scenario("paused"),
    "hold_seats": Scenario(body=lambda visitor: {"seats": [visitor.seat]}),
    "reserve_seats": Scenario(body=lambda visitor: {"seats": [visitor.seat]}),
    "take_over_pass": Scenario("open", joined),
    "list_seats": Scenario(prepare=seats_kept),
}


@dataclass(frozen=True)
class Case:
    """One kind of request: headers that replace the usual ones (None: left out), and a body."""

    name: str
    headers: dict[str, str | None] = field(default_factory=dict)
    content: bytes | None = None
    event_id: int | None = None
    repeated: dict[str, str] = field(default_factory=dict)  # sent a second time, with this value


FOREIGN = {"origin": "https://evil.example"}
CASES = [
    Case("success"),
    Case("in Korean", {"accept-language": "ko-KR,ko;q=0.9"}),
    Case("compressed", {"accept-encoding": "gzip"}),
    Case("not compressed", {"accept-encoding": "identity"}),
    Case("not logged in", {"cookie": None}),
    Case("not logged in, in Korean", {"cookie": None, "accept-language": "ko"}),
    Case("unknown session", {"cookie": "sessionid=nosuchsession0000"}),
    Case("unreadable cookie", {"cookie": 'sessionid="\x01;;=; \xff'}),
    Case("bad API token", {"authorization": "Bearer tk_nonsense"}),
    Case("bad queue token", {"authorization": "Bearer qr_nonsense"}),
    Case("queue token that can't be decoded", {"authorization": "Bearer qr_a.!\xff"}),
    Case("empty bearer", {"authorization": "Bearer"}),
    Case("another scheme", {"authorization": "Basic YTpi"}),
    Case("foreign origin", FOREIGN),
    Case("foreign origin, in Korean", FOREIGN | {"accept-language": "ko"}),
    Case("foreign origin, language by cookie", FOREIGN | {"language": "ko"}),
    Case("no origin", {"origin": None}),
    Case("two origins", repeated={"origin": "https://evil.example"}),
    Case("own page by fetch metadata", {"origin": None, "sec-fetch-site": "same-origin"}),
    Case("unreadable referer", {"origin": None, "referer": "http://[bad"}),
    Case("unknown event", event_id=999_999),
    Case("unknown event, in Korean", {"accept-language": "ko"}, event_id=999_999),
    Case("largest event", event_id=10**18 - 1),
    Case("too large a body", content=b" " * 1_500 + b"{}"),
    Case("too large a body of a stranger", {"cookie": None}, content=b" " * 1_500 + b"{}"),
    Case("a body that is no JSON", content=b"{"),
    Case("a body of another kind", content=b'"seats"'),
    Case("another content type", {"content-type": "text/plain"}),
    Case("accepts something else", {"accept": "text/csv"}),
    Case("accepts a page", {"accept": "text/html"}),
    Case("long language", {"accept-language": "x" * 3_000 + ",ko;q=\xe9"}),
    Case("long idempotency key", {"idempotency-key": "k" * 65}),
    Case("strange idempotency key", {"idempotency-key": " k\xe9\t1 "}),
    Case("unreadable validator", {"if-none-match": 'W/"\xff, *'}),
    Case("length that is no number", {"content-length": "1e3"}),
]


class Ways:
    """The same call, on the fast path and by Django."""

    def __init__(self, call: ApiCall, now: Any) -> None:
        self.call, self.scenario = call, SCENARIOS.get(call.name, Scenario())
        self.events = [make_event(now, plan=make_plan(seats_per_row=20)) for _ in range(2)]
        self.seats = [seat_ids(event) for event in self.events]
        if self.scenario.queue_state:
            for event in self.events:
                SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
                queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
                if self.scenario.queue_state != "open":
                    queue.move_queue(
                        event_id=event.pk, to=self.scenario.queue_state, by=None, now=now
                    )
        self.fell_through = False
        self.unchanged: list[Visitor] = []

    def visitors(self, number: int) -> list[Visitor]:
        """Two people in the same situation, one for each way; the last two, if nothing changed."""
        if self.unchanged:
            return self.unchanged
        people = [
            Visitor(make_user(password=None), event, seats[number])
            for event, seats in zip(self.events, self.seats, strict=True)
        ]
        for visitor in people:
            self.scenario.prepare(visitor)
        return people

    async def both(self, number: int, case: Case) -> list[httpx.Response]:
        people = await sync_to_async(self.visitors)(number)
        self.fell_through = False
        sent = [await sync_to_async(self._request)(visitor, case) for visitor in people]
        answers = [
            await self._send(self._watched_site(), sent[0]),
            await self._send(asgi.site.fallback, sent[1]),
        ]
        is_refused = all(400 <= answer.status_code < 500 for answer in answers)
        self.unchanged = people if self.call.method == "GET" or is_refused else []
        return answers

    def _request(self, visitor: Visitor, case: Case) -> httpx.Request:
        event_id = case.event_id or visitor.event.pk
        slug = f"unknown-{case.event_id}" if case.event_id else self.scenario.slug(visitor)
        path = self.call.path.replace("<int:event_id>", str(event_id))
        path = path.replace("<slug:number>", slug)
        headers: dict[str, str | None] = {
            "cookie": f"sessionid={logged_in(visitor.user)}",
            "origin": OWN,
            "accept-language": "en",
            "accept-encoding": "gzip",
            "content-type": "application/json" if self.call.reads_body else None,
        } | case.headers
        if language := headers.pop("language", None):
            headers["cookie"] = f"{headers['cookie']}; django_language={language}"
        content = case.content
        if content is None and self.scenario.body:
            content = json.dumps(self.scenario.body(visitor)).encode()
        pairs = [(name, value) for name, value in headers.items() if value is not None]
        raw = [(n.encode(), v.encode("latin-1")) for n, v in [*pairs, *case.repeated.items()]]
        return httpx.Request(
            self.call.method, f"{OWN}/{self.call.root}{path}", headers=raw, content=content
        )

    def _watched_site(self) -> Any:
        async def fallback(scope: Any, receive: Any, send: Any) -> None:
            self.fell_through = True
            await asgi.site.fallback(scope, receive, send)

        return type(asgi.site)(asgi.site.routes, fallback)

    async def _send(self, application: Any, request: httpx.Request) -> httpx.Response:
        response = await httpx.ASGITransport(application).handle_async_request(request)
        response.request = request
        await response.aread()
        return response


@pytest.fixture(params=asgi.CALLS, ids=lambda call: call.name)
async def ways(request: Any, paying_site: str, loop_resources: None, now: Any) -> Ways:
    BUYERS.clear()
    return await sync_to_async(Ways)(request.param, now)


def facts(response: httpx.Response) -> dict[str, Any]:
    """What must be the same, by name."""
    headers = {name: response.headers.get(name) for name in HEADERS}
    cookies = response.headers.get_list("set-cookie")
    browser = [each for each in cookies if each.startswith("browser=")]
    others: dict[str, Any] = {"etag": "etag" in response.headers}
    others["browser"] = [each.partition(";")[2] for each in browser]
    if others["etag"]:  # Django compresses whatever is long, the fast path only what is stored so
        others["content-encoding"] = "content-encoding" in response.headers
    body = response.json() if response.content else None
    is_error = response.status_code >= 400
    language = {"content-language": response.headers.get("content-language")} if is_error else {}
    return {
        "status": response.status_code,
        **headers,
        **others,
        **language,
        "body": masked(body, set() if is_error else {"code"}),
    }


def masked(value: Any, top: set[str]) -> Any:
    if isinstance(value, dict):
        return {
            name: type(one).__name__ if name in VOLATILE | top else masked(one, set())
            for name, one in value.items()
        }
    return [masked(one, set()) for one in value] if isinstance(value, list) else value


def differences(fast: httpx.Response, django: httpx.Response) -> dict[str, tuple[Any, Any]]:
    left, right = facts(fast), facts(django)
    found = {
        name: (left.get(name), right.get(name))
        for name in left.keys() | right.keys()
        if left.get(name) != right.get(name)
    }
    vary = [set(r.headers.get("vary", "").lower().split(", ")) - {""} for r in (fast, django)]
    if not vary[0] <= vary[1]:
        found["vary"] = (vary[0], vary[1])
    return found


async def test_both_ways_answer_the_same(ways: Ways):
    found = {}
    for number, case in enumerate(CASES):
        fast, django = await ways.both(number, case)
        if unlike := differences(fast, django):
            found[case.name] = unlike
        if case.name == "success":
            assert fast.status_code < 300, fast.text
            assert not ways.fell_through, "the fast path left its own success to Django"
            assert fast.headers["x-content-type-options"] == "nosniff"

    assert found == {}


async def test_both_ways_answer_the_same_when_the_service_fails(ways: Ways, monkeypatch: Any):
    def broken(**arguments: Any) -> Any:
        raise ZeroDivisionError("the secret is 42")

    async def abroken(**arguments: Any) -> Any:
        broken()

    monkeypatch.setattr(ways.call, "service", broken)
    monkeypatch.setattr(ways.call, "aservice", abroken)

    fast, django = await ways.both(0, Case("bug"))

    assert not ways.fell_through
    assert (fast.status_code, fast.json()["code"]) == (500, "server_error")
    assert "42" not in fast.text + django.text
    assert differences(fast, django) == {}


async def test_both_ways_answer_the_same_to_an_api_token(ways: Ways):
    people = await sync_to_async(ways.visitors)(0)
    responses = []
    for visitor, application in zip(
        people, (ways._watched_site(), asgi.site.fallback), strict=True
    ):
        _, secret = await sync_to_async(accounts.create_token)(
            user=visitor.user, name="script", now=clock.now()
        )
        case = Case("token", {"cookie": None, "origin": None, "authorization": f"Bearer {secret}"})
        request = await sync_to_async(ways._request)(visitor, case)
        responses.append(await ways._send(application, request))

    assert responses[0].status_code < 300
    assert differences(*responses) == {}


async def test_control_a_difference_is_found(ways: Ways, monkeypatch: Any):
    """One changed header and one changed field are both reported."""
    render = ways.call.render

    def other(request: Any, result: Any) -> Any:
        response = render(request, result)
        return response._replace(headers={**response.headers, "Cache-Control": "public"})

    _, django = await ways.both(0, Case("success"))
    monkeypatch.setattr(ways.call, "render", other)
    fast, _ = await ways.both(1, Case("success"))

    assert "cache-control" in differences(fast, django)


def test_every_scenario_is_of_a_declared_call():
    assert SCENARIOS.keys() <= {call.name for call in asgi.CALLS}


def test_every_call_is_a_method_of_the_view_at_its_address():
    """With the authentication that the fast path uses."""
    from django.urls import resolve

    for call in asgi.CALLS:
        path = f"/{call.root}{call.path}"
        path = path.replace("<int:event_id>", "7").replace("<slug:number>", "pay-7")
        view = resolve(path).func.cls
        assert hasattr(view, call.method.lower()), call.name
        declared = {call.authentication} - {None}
        assert declared <= set(view.authentication_classes), call.name
