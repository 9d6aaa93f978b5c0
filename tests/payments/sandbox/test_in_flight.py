"""Hundreds of payments wait at the sandbox at once, and none of them takes a thread."""

import asyncio
import threading

import httpx
import pytest
from django.conf import settings as site

from payments.sandbox import delays, testing
from payments.sandbox.api import endpoint
from payments.sandbox.models import Payment
from payments.sandbox.testing import Behaviour
from tests.waiting import wait_until
from ticketing.core import clock

MANY = 500
SLOW = 60.0


@pytest.fixture
def many():
    return MANY


@pytest.fixture
def slow_payments(base, db, many):
    """Payments whose window was left with a slow card."""
    now = clock.now()
    return Payment.objects.bulk_create(
        Payment(
            payment_id=f"slow-{number}",
            state=Payment.State.READY,
            amount=1000,
            token=f"token-{number}",
            behaviour=Behaviour.SLOW,
            seconds=SLOW,
            opened_at=now,
            changed_at=now,
        )
        for number in range(many)
    )


@pytest.fixture
def confirmed(base, slow_payments):
    """Confirms them all at once, in a thread; the list fills with the answers' statuses."""
    statuses: list[int] = []

    async def confirm(client: httpx.AsyncClient, payment: Payment) -> None:
        body = {"paymentToken": payment.token, "skipWebhook": True}
        answer = await client.post(f"{base}/payments/{payment.payment_id}/confirm", json=body)
        statuses.append(answer.status_code)

    async def confirm_all() -> None:
        headers = {"authorization": f"PortOne {site.PORTONE_API_SECRET}"}
        limits = httpx.Limits(max_connections=len(slow_payments))
        async with httpx.AsyncClient(headers=headers, limits=limits, timeout=100) as client:
            await asyncio.gather(*(confirm(client, payment) for payment in slow_payments))

    thread = threading.Thread(target=lambda: asyncio.run(confirm_all()))
    thread.start()
    yield statuses
    wait_until(lambda: delays.end_all() or not thread.is_alive(), seconds=60)


@pytest.fixture
def threads_before() -> int:
    """Those of servers that other tests started."""
    return threading.active_count()


def test_500_payments_in_flight_take_no_thread(threads_before, portone, window, confirmed):
    answer = window()
    wait_until(lambda: delays.count() == MANY)

    portone.confirm_payment(payment_id="order-1", payment_token=answer["paymentToken"])

    # those of pages, database and this test's client
    assert threading.active_count() < threads_before + 45
    assert (len(testing.charges()), confirmed) == (1, [])
    delays.end_all()
    wait_until(lambda: len(confirmed) == MANY, seconds=60)
    assert set(confirmed) == {200}
    assert len(testing.charges()) == MANY + 1


@pytest.mark.parametrize("many", [60])  # more than there are threads
def test_control_delays_in_threads_block_everybody_else(base, window, monkeypatch, request, many):
    """The same with a delay that keeps its thread: the next payment gets no answer."""
    released = threading.Event()

    async def in_its_thread(seconds: float) -> None:
        await endpoint.in_thread(released.wait, seconds)

    def is_answered() -> bool:
        headers = {"authorization": f"PortOne {site.PORTONE_API_SECRET}"}
        body = {"paymentToken": answer["paymentToken"]}
        try:
            httpx.post(f"{base}/payments/order-1/confirm", json=body, headers=headers, timeout=1)
        except httpx.ReadTimeout:
            return False
        return True

    answer = window()
    monkeypatch.setattr(endpoint, "delay", in_its_thread)
    request.getfixturevalue("confirmed")
    try:
        wait_until(lambda: not is_answered())  # soon the slow ones have all threads
    finally:
        released.set()
