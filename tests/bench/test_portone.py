"""The stub of PortOne, asked by PortOne's own SDK."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from portone_server_sdk import errors
from portone_server_sdk import payment as sdk

from bench import portone
from tests.faults.site import free_port, until


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    http, smtp = free_port(), free_port()
    stub = subprocess.Popen([sys.executable, "-m", "bench.outside", str(http), str(smtp)])
    address = f"http://127.0.0.1:{http}"
    until(lambda: httpx.get(f"{address}/bench").status_code == 200, seconds=60)
    yield address
    stub.terminate()
    stub.wait(60)


@pytest.fixture
def client(url: str) -> Any:
    httpx.post(f"{url}/bench", json={"latency": 0, "failures": 0})
    return sdk.PaymentClient(secret=portone.SECRET, base_url=url, store_id=portone.STORE_ID)


def pay(client: Any, number: str) -> None:
    client.pre_register_payment(payment_id=number, total_amount=1000, currency="KRW")
    client.confirm_payment(
        payment_id=number, payment_token="any", total_amount=1000, currency="KRW"
    )


def test_what_was_confirmed_is_paid(client):
    pay(client, "a")

    found = client.get_payment(payment_id="a")
    assert isinstance(found, sdk.PaidPayment)
    assert (found.amount.total, found.currency, found.channel.type) == (1000, "KRW", "LIVE")
    with pytest.raises(errors.AlreadyPaidError):
        pay(client, "a")


def test_what_was_only_registered_is_not_found(client):
    client.pre_register_payment(payment_id="b", total_amount=1000, currency="KRW")

    with pytest.raises(errors.PaymentNotFoundError):
        client.get_payment(payment_id="b")


def test_part_and_then_the_rest_is_cancelled(client):
    pay(client, "c")

    client.cancel_payment(payment_id="c", amount=400, reason="part")
    assert isinstance(client.get_payment(payment_id="c"), sdk.PartialCancelledPayment)
    client.cancel_payment(payment_id="c", amount=600, reason="rest")

    found = client.get_payment(payment_id="c")
    assert isinstance(found, sdk.CancelledPayment)
    assert found.amount.cancelled == 1000


def test_the_list_has_what_was_paid(client):
    pay(client, "d")

    page = client.get_payments(page={"number": 0, "size": 100}, filter={})

    assert "d" in [item.id for item in page.items]


def test_a_wrong_secret_is_refused(url):
    stranger = sdk.PaymentClient(secret="wrong", base_url=url)

    with pytest.raises(errors.UnauthorizedError):
        stranger.get_payment(payment_id="a")


def test_failing_calls_fail_before_or_after_they_are_carried_out(client, url):
    """With every call failing, about half of the charges were made all the same."""
    for n in range(40):
        client.pre_register_payment(payment_id=f"f{n}", total_amount=1000, currency="KRW")
    before = httpx.get(f"{url}/bench").json()["paid"]
    httpx.post(f"{url}/bench", json={"latency": 0, "failures": 1})
    for n in range(40):
        with pytest.raises(ValueError):  # the answer is not JSON
            client.confirm_payment(
                payment_id=f"f{n}", payment_token="any", total_amount=1000, currency="KRW"
            )

    made = httpx.get(f"{url}/bench").json()["paid"] - before
    assert 0 < made < 40
