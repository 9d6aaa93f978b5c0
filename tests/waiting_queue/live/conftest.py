"""The real server with real sockets, in this process, on the tests' own database."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
import uvicorn
from django.db import connections
from websockets.sync.client import ClientConnection, connect

from tests.making import make_user
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.management.commands.serve import Server, server_config
from waiting_queue import services
from waiting_queue.models import SaleQueue


@dataclass
class Served:
    """A server of the site, in a thread of this process."""

    server: uvicorn.Server
    port: int

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.port}"


@pytest.fixture
def served(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    # The server's threads would keep connections to a database that is about to be emptied.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = Server(server_config())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.01)
        yield Served(server, listening.getsockname()[1])
        server.should_exit = True
        thread.join(10)


@dataclass
class Page:
    """An open waiting page of somebody."""

    socket: ClientConnection
    heard: list[dict[str, Any]] = field(default_factory=list)

    def next(self, kind: str = "standing", *, seconds: float = 5) -> dict[str, Any]:
        """The next frame of this kind; all others are kept in `heard`."""
        while True:
            frame: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
            self.heard.append(frame)
            if frame["type"] == kind:
                return frame

    def until(self, **wanted: Any) -> dict[str, Any]:
        """The first standing that says all this."""
        while True:
            frame = self.next()
            if wanted.items() <= frame.items():
                return frame


@dataclass
class Fan:
    served: Served
    user: User
    session: str
    event_id: int
    pages: list[Page] = field(default_factory=list)

    @property
    def person(self) -> str:
        return str(self.user.pk)

    def join(self) -> None:
        services.join(event_id=self.event_id, person=self.person, now=clock.now())

    def open(self, query: str = "", **headers: str) -> Page:
        sent = {"Cookie": f"sessionid={self.session}", "Origin": self.served.origin} | headers
        address = f"ws://localhost:{self.served.port}/ws/events/{self.event_id}/queue/{query}"
        page = Page(connect(address, additional_headers=sent, max_queue=None))
        self.pages.append(page)
        return page


@pytest.fixture
def make_fan(served: Served) -> Iterator[Callable[[SaleQueue], Fan]]:
    fans: list[Fan] = []

    def make(queue: SaleQueue) -> Fan:
        user = make_user(password=None)
        fans.append(Fan(served, user, logged_in(user), queue.pk))
        return fans[-1]

    yield make
    for fan in fans:
        for page in fan.pages:
            page.socket.close()


@dataclass
class Ticks:
    """The clock of the queue, one second after the other."""

    now: datetime

    def __call__(self, times: int = 1) -> None:
        for _ in range(times):
            self.now += timedelta(seconds=1)
            services.tick_open_queues(now=self.now)


@pytest.fixture
def tick(now: datetime) -> Ticks:
    return Ticks(now)


@pytest.fixture
def paused(open_queue: SaleQueue, now: datetime) -> SaleQueue:
    """Nobody is called: whoever joins waits."""
    return services.move_queue(event_id=open_queue.pk, to="paused", by=None, now=now)
