"""The steps between our pages and the gateway, at a real server: no page thread asks it."""

import json
from importlib import import_module
from urllib.parse import urlencode

import httpx
import pytest
from redis.exceptions import RedisError
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from payments import keys, services, store
from payments.live.changes import publish_change
from payments.models import Payment, WebhookReceipt
from payments.sandbox.testing import Behaviour
from payments.services import async_settlement, webhooks
from payments.views import fast_routes
from tests.payments.buyers import Buyer, settle_in_background, work
from tests.payments.services.test_webhooks import ADDRESS, body_of, signed
from tests.waiting import wait_until
from tests.waiting_queue.api.conftest import logged_in
from ticketing.core import redis
from ticketing.core.errors import Unavailable
from ticketing.core.event_loop import PAGE_THREADS, blocking

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


@pytest.fixture
def no_page_thread_waits(monkeypatch):
    """The views' own way to the gateway is closed."""

    def refuse(*args, **kwargs):
        raise AssertionError("a page thread asks the gateway")

    monkeypatch.setattr("payments.views.payment_window.PREPARE", lambda **_: "")
    monkeypatch.setattr(import_module("payments.views.result"), "FINISH", refuse)


def get(origin, path, person=None, **more):
    cookies = {"sessionid": logged_in(person)} if person else {}
    headers = {"accept": "text/html", "accept-language": "en"}
    return httpx.get(f"{origin}{path}", cookies=cookies, headers=headers, timeout=60, **more)


def started(buyer):
    order = {"code": buyer.code, "fan_id": buyer.fan.pk, "token": buyer.token, "now": buyer.now}
    return services.start_payment(**order, payment_key=buyer.key, language="en")


def test_the_way_through_the_window_and_back(origin, buyer, no_page_thread_waits):
    number = started(buyer).number

    opened = get(origin, f"/payments/{number}/window/", buyer.fan)
    assert opened.status_code == 303
    assert opened.headers["location"].startswith(f"/sandbox/portone/checkout/{number}")
    assert buyer.payment.state == "prepared"

    back = get(origin, f"/payments/{number}/return/?{urlencode(buyer.agree())}", buyer.fan)
    assert (back.status_code, back.headers["location"]) == (303, f"/payments/{number}/")
    assert "no-store" in back.headers["cache-control"]
    assert buyer.payment.state == "succeeded"


def test_who_stops_holds_the_seats_again(origin, buyer, no_page_thread_waits):
    number = buyer.start().number

    back = get(origin, f"/payments/{number}/return/?code=stopped", buyer.fan)

    assert back.status_code == 303
    assert (buyer.payment.state, buyer.reservation.state) == ("cancelled", "held")


def test_a_gateway_that_is_away_is_said_on_the_result_page(
    origin, buyer, settings, no_page_thread_waits
):
    number = started(buyer).number
    settings.PORTONE_URL = "http://127.0.0.1:9/nowhere"

    opened = get(origin, f"/payments/{number}/window/", buyer.fan)
    shown = get(origin, opened.headers["location"], buyer.fan)

    assert opened.status_code == 303
    assert "Payment is not possible at the moment." in shown.text
    assert buyer.payment.state == "pending"


@pytest.mark.parametrize("rest", ["window/", "return/?code=X", "return/?paymentId={}"])
def test_a_stranger_and_nobody_are_refused_with_a_page(origin, buyer, rival, rest):
    number = buyer.start().number
    path = f"/payments/{number}/{rest.format(number)}"

    for person, status in ((rival, 404), (None, 401)):
        refused = get(origin, path, person)
        assert (refused.status_code, "<h1" in refused.text) == (status, True)
    assert buyer.payment.state == "prepared"


def test_few_page_threads_wait_at_a_time(buyer, monkeypatch):
    """What the fast path does not take, such as HEAD, can't occupy the pages' threads."""
    whose = {"number": buyer.start().number, "fan_id": buyer.fan.pk, "now": buyer.now}
    assert fast_routes.PREPARE(**whose) == ""
    assert PAGE_THREADS.acquire(blocking=False)
    assert PAGE_THREADS.acquire(blocking=False)
    try:
        with pytest.raises(Unavailable):
            fast_routes.PREPARE(**whose)
    finally:
        PAGE_THREADS.release(2)


def test_a_charge_that_buys_nothing_is_told_by_the_api(origin, buyer):
    """Its row comes from another transaction; the event loop has all that the response says."""
    number = buyer.start().number
    token = buyer.agree(Behaviour.WRONG_AMOUNT)["paymentToken"]
    headers = {"cookie": f"sessionid={logged_in(buyer.fan)}", "origin": origin}

    told = httpx.post(
        f"{origin}/api/v1/payments/{number}/confirm/",
        json={"payment_token": token},
        headers=headers,
        timeout=60,
    )

    assert (told.status_code, told.json()["state"]) == (202, "REFUNDING")
    assert told.json()["reservation"] == buyer.code


# -- webhooks --------------------------------------------------------------------------------------


def post(origin, body, headers):
    return httpx.post(f"{origin}{ADDRESS}", content=body, headers=headers, timeout=60)


def test_a_webhook_is_answered_in_the_event_loop_and_wakes_the_settlement(
    origin, unanswered, settings, monkeypatch
):
    """Without any beat: what the gateway knows is settled a moment later."""
    monkeypatch.setattr(webhooks, "wake_settlement", async_settlement.wake_settlement)
    monkeypatch.setattr("payments.views.webhooks.services", None)
    body = body_of(unanswered.payment.number)

    assert post(origin, body, signed(settings, body)).status_code == 200

    wait_until(lambda: unanswered.payment.state == "succeeded")
    settle_in_background()


def test_many_webhooks_of_a_moment_wake_it_once(monkeypatch):
    claims = []
    monkeypatch.setattr(
        async_settlement, "claim_due_payments", lambda **wish: claims.append(wish) or []
    )

    for _ in range(5):
        async_settlement.wake_settlement()
    settle_in_background()

    assert len(claims) == 1


def test_a_forged_webhook_is_refused_there_too(origin, buyer, settings, woken):
    body = body_of(buyer.start().number)

    refused = post(origin, body, signed(settings, body) | {"webhook-signature": "v1,AAAA"})

    assert (refused.status_code, WebhookReceipt.objects.count(), woken) == (400, 0, [])


def test_a_long_webhook_is_left_to_django(origin, unanswered, settings, woken):
    body = body_of(unanswered.payment.number).replace('"tx"', f'"{"x" * 2_000}"')

    assert post(origin, body, signed(settings, body)).status_code == 200
    assert woken == [None]


# -- the socket ------------------------------------------------------------------------------------


def open_socket(origin, number, person=None, **headers):
    sent = {"Origin": origin, "Accept-Language": "en"} | headers
    if person:
        sent["Cookie"] = f"sessionid={logged_in(person)}"
    address = f"{origin.replace('http', 'ws')}/ws/payments/{number}/"
    return connect(address, additional_headers=sent, open_timeout=60)


def frame(socket):
    return json.loads(socket.recv(timeout=60))


def test_the_result_is_pushed_to_the_owners_open_page(origin, unanswered):
    number = unanswered.payment.number
    with open_socket(origin, number, unanswered.fan) as socket:
        assert frame(socket) == {"type": "payment", "state": "CHARGING"}
        wait_until(listened_to)

        Payment.objects.update(due_at=unanswered.now)
        work(unanswered.now)

        assert frame(socket) == {"type": "payment", "state": "SUCCEEDED"}


def listened_to():
    """Whether a server process has subscribed to the changes of payments."""
    return any(count for _, count in redis.client().pubsub_numsub(channel()))


def channel():
    return keys.changes_channel(redis.database())


def test_a_page_that_opens_late_reads_the_present_state(origin, buyer):
    buyer.buy()

    with open_socket(origin, buyer.payment.number, buyer.fan) as socket:
        assert frame(socket)["state"] == "SUCCEEDED"


@pytest.mark.parametrize(("who", "code"), [("rival", "no_payment"), ("nobody", "not_logged_in")])
def test_nobody_else_may_listen(origin, buyer, rival, who, code):
    number = buyer.start().number

    with open_socket(origin, number, rival if who == "rival" else None) as socket:
        assert frame(socket)["code"] == code
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=60)


def test_a_foreign_page_can_not_open_it(origin, buyer):
    with pytest.raises(Exception, match="403"):
        open_socket(origin, buyer.start().number, buyer.fan, Origin="https://evil.example")


def test_another_payments_change_is_not_told(origin, buyer, event, rival, now):
    other = Buyer(event, rival, now, first=2)
    other.start()
    number = buyer.start().number
    with open_socket(origin, number, buyer.fan) as socket:
        assert frame(socket)["state"] == "PREPARED"
        wait_until(listened_to)
        blocking(publish_change)(other.payment, was="charging")
        blocking(publish_change)(buyer.payment, was="charging")

        assert frame(socket)["state"] == "PREPARED"
        with pytest.raises(TimeoutError):
            socket.recv(timeout=0.3)


def test_without_redis_a_payment_is_settled_all_the_same(buyer, monkeypatch):
    async def away(*args):
        raise RedisError("away")

    monkeypatch.setattr(store, "publish_change", away)

    assert buyer.buy().state == "succeeded"
