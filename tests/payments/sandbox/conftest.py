"""The sandbox behind a real server, PortOne's own SDK as its customer, and a shop that listens."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
import uvicorn
from django.conf import settings as site
from django.db import connection, connections
from portone_server_sdk import PaymentClient

from payments.sandbox import testing, webhooks
from tests.browser.conftest import wait_until

AMOUNT = 154_000
# The database can't be dropped while somebody is connected.
HANG_UP = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@dataclass
class Shop:
    """What the shop was told: every webhook with its headers; answers as it is told to."""

    url: str = ""
    heard: list[tuple[dict[str, str], str]] = field(default_factory=list)
    status: int = 200

    @property
    def kinds(self) -> list[str]:
        """Sorted: webhooks overtake each other, here as with PortOne."""
        testing.wait()
        return sorted(kind_of(body) for _, body in self.heard)

    def headers_and_body(self, kind: str) -> tuple[dict[str, str], str]:
        testing.wait()
        return next(one for one in self.heard if kind_of(one[1]) == kind)


def kind_of(body: str) -> str:
    return json.loads(body)["type"].removeprefix("Transaction.")


class Ear(BaseHTTPRequestHandler):
    """Listens for the shop of the test that is running; what comes later, nobody hears."""

    shop = Shop()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.shop.heard.append(({k.lower(): v for k, v in self.headers.items()}, body))
        self.send_response(self.shop.status)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="session")
def ear() -> Iterator[str]:
    """One for all tests: to stop such a server takes half a second."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Ear) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook"
        server.shutdown()


@pytest.fixture
def shop(ear: str, settings: Any) -> Shop:
    Ear.shop = Shop(ear)
    settings.PAYMENTS_SANDBOX_WEBHOOK = ear
    return Ear.shop


@pytest.fixture(scope="session")
def origin(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """One server for all tests, whose threads keep their connections until the last."""
    connections.settings["default"]["CONN_MAX_AGE"] = None
    from ticketing.asgi import application

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        yield f"http://localhost:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(HANG_UP)


@pytest.fixture
def base(
    transactional_db: None, origin: str, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Where the sandbox is; retries of webhooks don't keep a test waiting."""
    monkeypatch.setattr(webhooks, "RETRY_SECONDS", (0.01,) * 4)
    yield f"{origin}/sandbox/portone"
    testing.reset()


@pytest.fixture(scope="session")
def make_client() -> Callable[..., PaymentClient]:
    """To make one takes a third of a second: one for each secret and store."""
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
    """PortOne's SDK, unchanged: only its address is ours."""
    return make_client(base)


@pytest.fixture
def registered(portone: PaymentClient) -> str:
    portone.pre_register_payment(payment_id="order-1", total_amount=AMOUNT, currency="KRW")
    return "order-1"


@pytest.fixture
def window(registered: str) -> Callable[..., dict[str, str]]:
    """The fan chooses; returns what the shop's page is told."""
    return lambda behaviour=None, **more: testing.pay(registered, behaviour, **more)


@pytest.fixture
def paid(portone: PaymentClient, window: Callable[..., dict[str, str]]) -> Callable[..., str]:
    """A payment that was confirmed, and behaves like this."""

    def pay(behaviour: testing.Behaviour | None = None, **more: Any) -> str:
        answer = window(behaviour, **more)
        portone.confirm_payment(
            payment_id=answer["paymentId"], payment_token=answer["paymentToken"]
        )
        return answer["paymentId"]

    return pay


@pytest.fixture
def post(base: str) -> Callable[..., httpx.Response]:
    """A plain call, for headers that the SDK doesn't send."""

    def post(path: str, body: Any, *, key: str = "", **more: Any) -> httpx.Response:
        headers = {"authorization": f"PortOne {site.PORTONE_API_SECRET}"}
        headers |= {"idempotency-key": key} if key else {}
        address = f"{base}/payments/{path}"
        return httpx.post(address, json=body, headers=headers | more, timeout=20, verify=False)

    return post
