"""Whatever PortOne's client raises is one of three errors; each call has our timeout and key."""

import json
from types import SimpleNamespace

import httpx
import pytest
from portone_server_sdk import errors as sdk

from payments.gateways import Declined, GatewayUnavailable, OutcomeUnknown, gateway
from payments.gateways.portone import PortOne, gateway_error

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


def refused(kind):
    """As the SDK makes it of an answer."""
    return kind(SimpleNamespace(message="no", pg_code="51", pg_message="no money"))


@pytest.mark.parametrize(
    ("odd", "kind"),
    [
        (refused(sdk.PgProviderError), Declined),
        (refused(sdk.InvalidPaymentTokenError), Declined),
        (refused(sdk.InformationMismatchError), Declined),
        (refused(sdk.UnauthorizedError), GatewayUnavailable),
        (refused(sdk.ForbiddenError), GatewayUnavailable),
        (httpx.ConnectError("refused"), GatewayUnavailable),
        (httpx.ConnectTimeout("slow"), GatewayUnavailable),
        (httpx.ReadTimeout("slow"), OutcomeUnknown),
        (httpx.RemoteProtocolError("cut"), OutcomeUnknown),
        (json.JSONDecodeError("html", "", 0), OutcomeUnknown),
        (KeyError("paidAt"), OutcomeUnknown),
        (ValueError("odd"), OutcomeUnknown),
        (RuntimeError("anything"), OutcomeUnknown),
    ],
    ids=lambda it: type(it).__name__ if isinstance(it, Exception) else it.__name__,
)
def test_what_is_not_certain_is_unknown(odd, kind):
    assert type(gateway_error(odd)) is kind


def test_the_card_companys_own_words_are_kept():
    error = gateway_error(refused(sdk.PgProviderError))

    assert (error.code, error.message) == ("51", "no money")


@pytest.fixture
def sent(base):
    """Requests as they go out, with nobody at the other end."""
    seen = []
    portone = PortOne(url=base, secret="s", store_id="", charges_by_server=True)
    hooks = portone.client._sync_client.event_hooks

    def answer(request):
        seen.append(request)
        return httpx.Response(200, json={"pgTxId": "x", "paidAt": "2026-11-16T00:00:00Z"})

    transport = httpx.MockTransport(answer)
    portone.client._sync_client = httpx.Client(event_hooks=hooks, transport=transport)
    return portone, seen


def test_a_charge_and_its_repeat_carry_the_same_key_and_our_timeout(sent):
    portone, seen = sent
    for seconds in (7, 60):
        portone.charge(number="pay-1", token="t", amount=5, currency="KRW", timeout=seconds)

    assert {request.headers["idempotency-key"] for request in seen} == {"charge-pay-1"}
    assert [request.extensions["timeout"]["read"] for request in seen] == [7, 60]


def test_a_button_pressed_twice_waits_for_what_the_first_press_began(sent):
    portone, _ = sent
    busy = {"type": "IDEMPOTENCY_OUTSTANDING_REQUEST", "message": "still being worked on"}
    answers = [httpx.Response(409, json=busy), httpx.Response(200, json={})]
    transport = httpx.MockTransport(lambda request: answers.pop(0))
    hooks = portone.client._sync_client.event_hooks
    portone.client._sync_client = httpx.Client(event_hooks=hooks, transport=transport)

    portone.prepare(number="pay-1", amount=5, currency="KRW", timeout=5)

    assert answers == []


def test_but_not_for_ever(sent):
    portone, _ = sent
    busy = {"type": "IDEMPOTENCY_OUTSTANDING_REQUEST", "message": "still being worked on"}
    transport = httpx.MockTransport(lambda request: httpx.Response(409, json=busy))
    hooks = portone.client._sync_client.event_hooks
    portone.client._sync_client = httpx.Client(event_hooks=hooks, transport=transport)

    with pytest.raises(OutcomeUnknown):
        portone.prepare(number="pay-1", amount=5, currency="KRW", timeout=0.2)


def test_a_wrong_secret_is_no_answer_about_the_payment(settings, buyer):
    payment = buyer.start()
    settings.PORTONE_API_SECRET = "wrong"
    portone = PortOne(url=settings.PORTONE_URL, secret="other", store_id="", charges_by_server=True)

    with pytest.raises(GatewayUnavailable):
        portone.fetch(number=payment.number, timeout=5)


def test_what_nobody_registered_is_unpaid():
    assert gateway().fetch(number="pay-nobody", timeout=5).status == "unpaid"
