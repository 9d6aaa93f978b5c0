"""The sandbox as a process of its own: killed, it forgets nothing; the site forwards to it."""

import asyncio
import os
import signal
import subprocess
import sys
import threading

import httpx
import pytest
import uvicorn
from portone_server_sdk.payment import PaidPayment

from payments.sandbox import proxy, testing
from payments.sandbox.models import Payment
from tests.faults.site import free_port
from tests.payments.sandbox.conftest import AMOUNT
from tests.waiting import wait_until
from ticketing.core import event_loop
from ticketing.development.embedded import process


class SandboxProcess:
    """`manage.py sandbox` on the tests' database."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/sandbox/portone"
        self.environment = os.environ | {
            "PAYMENTS_SANDBOX_PORT": str(self.port),
            "PAYMENTS_SANDBOX_WEBHOOK": "http://127.0.0.1:9/",
            "LOG_LEVEL": "ERROR",
        }

    def start(self) -> None:
        self.process = process.start([sys.executable, "manage.py", "sandbox"], env=self.environment)
        wait_until(self._answers, seconds=60)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/payments/nothing").status_code == 401
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)


@pytest.fixture(scope="module")
def sandbox(django_db_setup):
    sandbox = SandboxProcess()
    sandbox.start()
    yield sandbox
    process.stop(sandbox.process)


@pytest.fixture
def shop_of(sandbox, transactional_db, make_client):
    """The shop's client of that process."""
    yield make_client(sandbox.url)
    testing.reset()


@pytest.fixture
def forwarding(sandbox, settings):
    """A site in this process that forwards the window to that one."""
    settings.PAYMENTS_SANDBOX_PORT = sandbox.port
    port = free_port()
    config = uvicorn.Config(proxy.forward, port=port, log_level="warning", lifespan="off")
    server = uvicorn.Server(config)

    async def serve() -> None:
        await server.serve()
        await event_loop.end()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    yield f"http://localhost:{port}"
    server.should_exit = True
    thread.join(60)


def test_a_killed_sandbox_forgets_no_charge(sandbox, shop_of):
    shop_of.pre_register_payment(payment_id="order-1", total_amount=AMOUNT)
    token = testing.pay("order-1")["paymentToken"]
    paid = shop_of.confirm_payment(payment_id="order-1", payment_token=token)

    sandbox.kill()
    sandbox.start()

    found = shop_of.get_payment(payment_id="order-1")
    assert isinstance(found, PaidPayment)
    assert (found.paid_at, found.amount.paid) == (paid.paid_at, AMOUNT)


def test_it_serves_nothing_but_the_sandbox(sandbox):
    origin = sandbox.url.removesuffix("/sandbox/portone")

    assert httpx.get(f"{origin}/accounts/log-in/").status_code == 404


def test_it_does_not_start_in_production(sandbox):
    production = sandbox.environment | {"DEVELOPMENT": "0", "ALLOWED_HOSTS": "tickets.example.com"}

    refused = subprocess.run(
        [sys.executable, "manage.py", "sandbox"], env=production, capture_output=True, text=True
    )

    assert refused.returncode == 1
    assert "sandbox" in refused.stderr


def test_the_window_is_used_at_the_sites_own_address(forwarding, shop_of):
    shop_of.pre_register_payment(payment_id="order-1", total_amount=AMOUNT)
    window = f"{forwarding}/sandbox/portone/checkout/order-1?redirect=/back/?seat=7"
    with httpx.Client(headers={"accept-language": "en"}) as browser:
        page = browser.get(window)
        token = page.text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
        form = {"csrfmiddlewaretoken": token, "behaviour": "succeed", "seconds": "0"}
        answer = browser.post(window, data=form)

    assert "SANDBOX: no money moves." in page.text
    assert (answer.status_code, answer.headers["location"][:14]) == (303, "/back/?seat=7&")
    payment = Payment.objects.get()
    assert (payment.token != "", payment.origin) == (True, f"{forwarding}/")


def test_while_the_sandbox_is_away_the_site_says_so(forwarding, sandbox):
    window = f"{forwarding}/sandbox/portone/checkout/order-1?redirect=/"
    sandbox.kill()

    assert httpx.get(window).status_code == 503

    sandbox.start()
