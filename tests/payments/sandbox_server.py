"""The sandbox behind a real server, and a shop that receives its webhooks."""

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import uvicorn
from django.db import connections

from payments.sandbox import testing, webhooks
from tests.waiting import wait_until
from ticketing.core import event_loop


@dataclass
class Shop:
    """Records every webhook with its headers, and answers with `status`."""

    received: list[tuple[dict[str, str], str]] = field(default_factory=list)
    status: int = 200

    @property
    def kinds(self) -> list[str]:
        """Sorted, because webhooks overtake each other, as PortOne's do."""
        testing.wait()
        return sorted(kind_of(body) for _, body in self.received)

    def headers_and_body(self, kind: str) -> tuple[dict[str, str], str]:
        testing.wait()
        return next(one for one in self.received if kind_of(one[1]) == kind)


def kind_of(body: str) -> str:
    return json.loads(body)["type"].removeprefix("Transaction.")


class ShopHandler(BaseHTTPRequestHandler):
    """Passes webhooks to the shop of the running test."""

    shop = Shop()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.shop.received.append(({k.lower(): v for k, v in self.headers.items()}, body))
        self.send_response(self.shop.status)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@cache
def shop_url() -> str:
    """One server for all tests: to stop one takes half a second."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), ShopHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/hook"


@pytest.fixture
def shop(settings: Any) -> Shop:
    ShopHandler.shop = Shop()
    settings.PAYMENTS_SANDBOX_WEBHOOK = shop_url()
    return ShopHandler.shop


class Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Also closes the connections to the gateway, as `manage.py serve` does."""
        await super().shutdown(sockets)
        await event_loop.end()


@pytest.fixture(scope="session")
def origin(django_db_setup: None) -> Iterator[str]:
    """One server for all tests; its threads keep their database connections."""
    connections.settings["default"]["CONN_MAX_AGE"] = None
    from ticketing.asgi import application

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = Server(uvicorn.Config(application, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        yield f"http://localhost:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(60)


@pytest.fixture
def base(
    transactional_db: None, origin: str, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The URL of the sandbox; webhooks are retried without delay."""
    monkeypatch.setattr(webhooks, "RETRY_SECONDS", (0.01,) * 4)
    yield f"{origin}/sandbox/portone"
    testing.reset()
