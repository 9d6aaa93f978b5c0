"""Each call to PortOne has our timeout and idempotency key."""

import json

import pytest
from yarl import URL

from payments.gateways import GatewayUnavailable, OutcomeUnknown, http_client
from payments.gateways.http_client import Response
from payments.gateways.portone import PortOne, sdk_client
from tests.payments.buyers import ask_gateway
from ticketing.core.event_loop import blocking

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


def call_portone(answer, method, **arguments):
    """With nobody but `answer` at the other end."""

    async def send(method, address, headers, body, connect):
        status, content = answer(headers)
        return Response(status, json.dumps(content).encode())

    async def call():
        portone = PortOne(sdk_client(), charges_by_server=True)
        portone.client._async_client.send = send
        return await getattr(portone, method)(**arguments)

    return blocking(call)()


def test_a_charge_and_its_repeat_carry_the_same_key(base):
    seen = []

    def answer(headers):
        seen.append(headers)
        return 200, {"pgTxId": "x", "paidAt": "2026-11-16T00:00:00Z"}

    order = {"number": "pay-1", "token": "t", "amount": 5, "currency": "KRW"}
    for seconds in (7, 60):
        call_portone(answer, "charge", **order, timeout=seconds)

    assert {headers["Idempotency-Key"] for headers in seen} == {"charge-pay-1"}


BUSY = {"type": "IDEMPOTENCY_OUTSTANDING_REQUEST", "message": "still being worked on"}
PREPARE = {"number": "pay-1", "amount": 5, "currency": "KRW"}


def test_a_button_pressed_twice_waits_for_what_the_first_press_began(base):
    answers = [(409, BUSY), (200, {})]

    call_portone(lambda headers: answers.pop(0), "prepare", **PREPARE, timeout=5)

    assert answers == []


def test_but_not_for_ever(base):
    with pytest.raises(OutcomeUnknown):
        call_portone(lambda headers: (409, BUSY), "prepare", **PREPARE, timeout=0.2)


def test_a_proxy_of_the_environment_is_used_for_the_gateway_alone_if_it_says_so(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://proxy.internal:3128")
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    assert http_client._proxy(URL("https://api.portone.io/")) == "http://proxy.internal:3128"
    assert http_client._proxy(URL("https://127.0.0.1/")) is None


def test_a_wrong_secret_is_no_answer_about_the_payment(settings, buyer):
    payment = buyer.start()
    settings.PORTONE_API_SECRET = "other"
    client = sdk_client()
    settings.PORTONE_API_SECRET = "ours"

    async def fetch():
        portone = PortOne(client, charges_by_server=True)
        return await portone.fetch(number=payment.number, timeout=5)

    with pytest.raises(GatewayUnavailable):
        blocking(fetch)()


def test_what_nobody_registered_is_unpaid():
    assert ask_gateway("fetch", number="pay-nobody", timeout=5).status == "unpaid"
