"""PortOne's own SDK as a client of the sandbox."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.conf import settings as site
from portone_server_sdk import PaymentClient

from payments.sandbox import testing

AMOUNT = 154_000


@pytest.fixture(scope="session")
def make_client() -> Callable[..., PaymentClient]:
    """Makes the SDK's client, which takes a third of a second: once for each secret and store."""
    made: dict[tuple[str, ...], PaymentClient] = {}

    def make(base: str, secret: str = "", store_id: str = "") -> PaymentClient:
        key = (base, secret, store_id)
        if key not in made:
            made[key] = PaymentClient(
                secret=secret or site.PORTONE_API_SECRET,
                base_url=base,
                store_id=store_id or site.PORTONE_STORE_ID,
            )
        return made[key]

    return make


@pytest.fixture
def portone(base: str, make_client: Callable[..., PaymentClient]) -> PaymentClient:
    """PortOne's SDK, unchanged but for its URL."""
    return make_client(base)


@pytest.fixture
def registered(portone: PaymentClient) -> str:
    portone.pre_register_payment(payment_id="order-1", total_amount=AMOUNT, currency="KRW")
    return "order-1"


@pytest.fixture
def window(registered: str) -> Callable[..., dict[str, str]]:
    """The fan chooses in the window; returns the parameters of the return URL."""
    return lambda behaviour=None, **more: testing.pay(registered, behaviour, **more)


@pytest.fixture
def paid(portone: PaymentClient, window: Callable[..., dict[str, str]]) -> Callable[..., str]:
    """Makes a confirmed payment with this behaviour."""

    def pay(behaviour: testing.Behaviour | None = None, **more: Any) -> str:
        answer = window(behaviour, **more)
        portone.confirm_payment(
            payment_id=answer["paymentId"], payment_token=answer["paymentToken"]
        )
        return answer["paymentId"]

    return pay


@pytest.fixture
def post(base: str) -> Callable[..., httpx.Response]:
    """A call without the SDK, for headers that it doesn't send."""

    def post(path: str, body: Any, *, key: str = "", **more: Any) -> httpx.Response:
        headers = {"authorization": f"PortOne {site.PORTONE_API_SECRET}"}
        headers |= {"idempotency-key": key} if key else {}
        address = f"{base}/payments/{path}"
        return httpx.post(address, json=body, headers=headers | more, timeout=60, verify=False)

    return post
