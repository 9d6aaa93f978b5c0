"""A key makes a call happen once, however often it is made."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from unittest.mock import Mock

import httpx
import pytest

from payments.sandbox import delays, idempotency, testing
from payments.sandbox.asgi import application
from payments.sandbox.models import Call
from payments.sandbox.testing import Behaviour
from tests.payments.sandbox.conftest import AMOUNT
from tests.waiting import wait_until
from ticketing.core import clock

KEY = "refund-0000000001"
PART = {"amount": 10_000, "reason": "One of two."}


def test_the_same_call_is_answered_the_same_and_done_once(post, paid):
    paid()

    first, second = (post("order-1/cancel", PART, key=KEY) for _ in range(2))

    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert testing.net_charged("order-1") == AMOUNT - 10_000


def test_control_without_a_key_it_is_done_twice(post, paid):
    paid()

    for _ in range(2):
        post("order-1/cancel", PART)

    assert testing.net_charged("order-1") == AMOUNT - 20_000


def test_a_key_may_be_quoted_as_the_standard_has_it(post, paid):
    paid()

    for key in (KEY, f'"{KEY}"'):
        post("order-1/cancel", PART, key=key)

    assert testing.net_charged("order-1") == AMOUNT - 10_000


def test_a_key_is_not_for_another_request(post, paid):
    paid()
    post("order-1/cancel", PART, key=KEY)

    other_body = post("order-1/cancel", PART | {"amount": 1}, key=KEY)
    other_path = post("order-1/confirm", PART, key=KEY)

    assert {other_body.json()["type"], other_path.json()["type"]} == {"INVALID_REQUEST"}
    assert testing.net_charged("order-1") == AMOUNT - 10_000


def test_a_refusal_is_an_answer_too(post, window):
    token = window()["paymentToken"]
    first = post("order-1/cancel", PART, key=KEY)
    post("order-1/confirm", {"paymentToken": token})

    second = post("order-1/cancel", PART, key=KEY)

    assert first.json()["type"] == second.json()["type"] == "PAYMENT_NOT_PAID"
    assert post("order-1/cancel", PART).status_code == 200


def test_a_key_is_forgotten_after_three_hours(post, paid):
    paid()
    for _ in range(2):
        post("order-1/cancel", PART, key=KEY)
        Call.objects.update(at=clock.now() - idempotency.KEPT - timedelta(seconds=1))

    assert testing.net_charged("order-1") == AMOUNT - 20_000


def test_a_request_whose_client_hung_up_does_not_use_up_its_key(post, paid, settings):
    paid()
    headers = {"authorization": f"PortOne {settings.PORTONE_API_SECRET}", "idempotency-key": KEY}
    scope = {
        "method": "POST",
        "path": "/sandbox/portone/payments/order-1/cancel",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    received = iter([{"type": "http.request", "more_body": True}, {"type": "http.disconnect"}])
    sent = []

    async def receive():
        return next(received)

    async def send(message):
        sent.append(message)

    asyncio.run(application(scope, receive, send))

    assert sent == []
    assert post("order-1/cancel", PART, key=KEY).status_code == 200


def test_while_the_first_is_worked_on_the_second_has_to_wait(post, window):
    body = {"paymentToken": window(Behaviour.SLOW, seconds=60)["paymentToken"]}
    with ThreadPoolExecutor() as threads:
        first = threads.submit(post, "order-1/confirm", body, key=KEY)
        wait_until(Call.objects.exists)

        meanwhile = post("order-1/confirm", body, key=KEY)
        wait_until(lambda: delays.end_all() or first.done())

        assert (meanwhile.status_code, first.result().status_code) == (409, 200)
    assert meanwhile.json()["type"] == "IDEMPOTENCY_OUTSTANDING_REQUEST"
    assert post("order-1/confirm", body, key=KEY).json() == first.result().json()


def test_a_call_of_a_dead_process_does_not_block_its_key_for_ever(post, paid):
    paid()
    long_ago = clock.now() - idempotency.LONGEST_CALL - timedelta(seconds=1)
    Call.objects.create(key=KEY, fingerprint="of the dead", at=long_ago)

    assert post("order-1/cancel", PART, key=KEY).status_code == 200


def test_a_refund_of_a_dead_process_may_be_repeated_after_seconds(post, paid):
    paid(Behaviour.SLOW, seconds=0.1)
    refund = {"path": "/sandbox/portone/payments/order-1/cancel", "body": PART}

    assert idempotency.begin(key=KEY, **refund, now=clock.now() - timedelta(seconds=11)) is None

    assert post("order-1/cancel", PART, key=KEY).status_code == 200


def test_who_dies_before_the_answer_is_kept_has_refunded_nothing(post, paid, monkeypatch):
    paid()
    with monkeypatch.context() as dying, suppress(httpx.TransportError):
        dying.setattr(idempotency, "finish", Mock(side_effect=RuntimeError("dies here")))
        post("order-1/cancel", PART, key=KEY)
    assert testing.net_charged("order-1") == AMOUNT

    assert post("order-1/cancel", PART, key=KEY).status_code == 200

    assert testing.net_charged("order-1") == AMOUNT - 10_000


@pytest.mark.parametrize(("behaviour", "status"), [(Behaviour.SUCCEED, 200), (Behaviour.SLOW, 409)])
def test_a_charge_of_a_dead_process_blocks_its_key_as_long_as_its_card_takes(
    post, window, behaviour, status
):
    body = {"paymentToken": window(behaviour, seconds=60)["paymentToken"]}
    dead = {"path": "/sandbox/portone/payments/order-1/confirm", "body": body}
    idempotency.begin(
        key=KEY, **dead, now=clock.now() - idempotency.LONGEST_CALL - timedelta(seconds=1)
    )

    assert post("order-1/confirm", body, key=KEY).status_code == status


def test_a_lost_answer_is_repeated(post, window):
    """Charged, and the answer never came: the same key tells."""
    body = {"paymentToken": window(Behaviour.TIME_OUT, seconds=0.1)["paymentToken"]}

    lost = post("order-1/confirm", body, key=KEY)
    again = post("order-1/confirm", body, key=KEY)

    assert (lost.status_code, again.status_code) == (504, 200)
    assert again.json().keys() == {"pgTxId", "paidAt"}
    assert len(testing.charges()) == 1


@pytest.mark.parametrize("key", ["short", "with blank in it ....", "x" * 257])
def test_a_key_that_portone_would_not_take_is_refused(post, paid, key):
    paid()

    assert post("order-1/cancel", PART, key=key).json()["type"] == "INVALID_REQUEST"
    assert testing.net_charged("order-1") == AMOUNT
