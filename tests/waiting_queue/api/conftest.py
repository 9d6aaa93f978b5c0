"""The real application, as the server calls it, and people who are logged in to it."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import SESSION_KEY
from django.db import connections

from tests.making import make_user
from ticketing.accounts.models import User
from ticketing.accounts.sessions import SessionStore, store_caller
from ticketing.asgi import application
from ticketing.core import clock, redis
from waiting_queue import services
from waiting_queue.live.hub import QueueHub
from waiting_queue.models import SaleQueue

OWN = "http://testserver"


@pytest.fixture
async def http(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    """Answers come from this event loop; threads keep no connection."""
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
        yield client
    await QueueHub.current().close()
    await redis.close_async_clients()
    await sync_to_async(connections.close_all)()


@dataclass
class Fan:
    """Somebody with a browser that is logged in, at one event's queue."""

    http: httpx.AsyncClient
    user: User
    session: str
    event_id: int

    @property
    def person(self) -> str:
        return str(self.user.pk)

    async def ask(
        self, method: str, path: str = "", *, token: str = "", **headers: str
    ) -> httpx.Response:
        """With the token if there is one, else as the page does it."""
        by_session = {"cookie": f"sessionid={self.session}", "origin": OWN}
        shown = {"authorization": f"Bearer {token}"} if token else by_session
        address = f"/api/v1/events/{self.event_id}/queue/{path}"
        sent = shown | {"accept-language": "en"} | headers
        raw = {name: value.encode("latin-1") for name, value in sent.items()}
        return await self.http.request(method, address, headers=raw)

    async def join(self, **more: str) -> httpx.Response:
        return await self.ask("POST", **more)

    async def poll(self, **more: str) -> httpx.Response:
        return await self.ask("GET", **more)

    async def claim(self, **more: str) -> httpx.Response:
        return await self.ask("POST", "claim/", **more)

    async def leave(self, **more: str) -> httpx.Response:
        return await self.ask("DELETE", **more)


def logged_in(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    store_caller(session, user)
    session.save()
    return str(session.session_key)


@pytest.fixture
def make_fan(http: httpx.AsyncClient, transactional_db: None) -> Callable[..., Fan]:
    def make(queue: Any, **fields: Any) -> Fan:
        user = make_user(password=None, **fields)
        return Fan(http, user, logged_in(user), getattr(queue, "pk", queue))

    return make


@pytest.fixture
def paused(open_queue: SaleQueue, operator: User, now: Any) -> SaleQueue:
    """Nobody is called: whoever joins waits."""
    return move(open_queue, "paused")


@pytest.fixture
def ann(paused: SaleQueue, make_fan: Callable[..., Fan]) -> Fan:
    return make_fan(paused)


@pytest.fixture
def ben(paused: SaleQueue, make_fan: Callable[..., Fan]) -> Fan:
    return make_fan(paused)


def move(queue: SaleQueue, to: str) -> SaleQueue:
    return services.move_queue(event_id=queue.pk, to=SaleQueue.State(to), by=None, now=clock.now())


def call_everybody(queue: SaleQueue) -> None:
    """The queue opens and ticks: everybody there is room for is called."""
    move(queue, "open")
    services.tick_open_queues(now=clock.now() + timedelta(seconds=5))


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """Every SQL statement of every thread from here on."""
    from django.db.backends.utils import CursorWrapper

    seen: list[str] = []
    original = CursorWrapper._execute

    def noted(self: Any, sql: str, params: Any, *ignored: Any) -> Any:
        seen.append(sql)
        return original(self, sql, params, *ignored)

    CursorWrapper._execute = noted
    yield seen
    CursorWrapper._execute = original
