"""The real server with real sockets, in this process, on the tests' own database."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.db import connections
from redis import Redis
from websockets.exceptions import ConnectionClosed
from websockets.sync import client as websocket
from websockets.sync.client import ClientConnection

from tests.making import make_user
from tests.waiting import PATIENCE, wait_until
from tests.waiting_queue.api.conftest import logged_in, statements  # noqa: F401 - a fixture
from ticketing.accounts.models import User
from ticketing.core import clock, redis
from ticketing.core.auto_pipeline import AutoPipeline
from ticketing.core.management.commands.serve import Server, server_config
from waiting_queue import keys, services, store
from waiting_queue.live.hub import QueueHub, send_heartbeats
from waiting_queue.live.topics import QueueTopic
from waiting_queue.models import SaleQueue
from waiting_queue.store.scripts import FOLDER, script
from waiting_queue.tick_message import TickMessage

# -- the server -----------------------------------------------------------------------------------


class WatchedServer(Server):
    """Says in which event loop it runs."""

    loop: asyncio.AbstractEventLoop
    ended_well = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        await redis.close_async_clients()
        self.ended_well = True


@dataclass
class Served:
    """A server of the site, in a thread of this process."""

    server: WatchedServer
    port: int
    thread: threading.Thread

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def hub(self) -> QueueHub:
        return QueueHub.of(self.server.loop)

    def subscribers(self, queue: SaleQueue) -> int:
        """How many pages are open, as the server sees it."""
        topic = self.hub.topics.get(queue.pk)
        return len(topic.subscribers) if topic else 0

    def knows_the_line(self, queue: SaleQueue) -> bool:
        return self.hub.topics[queue.pk]._ranks is not None

    def has_pushed(self, event_id: int, message: TickMessage) -> bool:
        topic = self.hub.topics[event_id]
        pushed = topic.message is not None and topic.message.at_ms >= message.at_ms
        return pushed and topic.task.done()

    def run(self, work: Any) -> Any:
        """A coroutine, in the server's event loop."""
        return asyncio.run_coroutine_threadsafe(work, self.server.loop).result(PATIENCE)

    def send_heartbeats(self, queue: SaleQueue, now: datetime) -> None:
        """As the server does every few seconds."""
        topic = self.hub.topics[queue.pk]
        self.run(send_heartbeats(topic, topic.heartbeat_at + settings.HEARTBEAT_SECONDS, now))

    def stop_heartbeats(self) -> None:
        """From now on heartbeats are sent only when a test says so."""
        _, heartbeats = self.hub._tasks
        self.server.loop.call_soon_threadsafe(heartbeats.cancel)
        wait_until(heartbeats.done)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(PATIENCE)


@pytest.fixture
def served(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    # The server's threads would keep connections to a database that is about to be emptied.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)  # see the slow reader
        listening.bind(("127.0.0.1", 0))
        server = WatchedServer(server_config())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        served = Served(server, listening.getsockname()[1], thread)
        yield served
        served.stop()


def wait_for_listeners(
    processes: int = 1, *, client: Redis | None = None, number: int = -1
) -> None:
    """Until so many servers listen for tick messages: earlier ones are pushed to nobody."""
    client = client or redis.client()
    channel = keys.tick_channel(redis.database() if number < 0 else number)
    wait_until(lambda: client.pubsub_numsub(channel)[0][1] >= processes)


# -- people ---------------------------------------------------------------------------------------


@dataclass
class Page:
    """An open waiting page of somebody."""

    socket: ClientConnection
    frames: list[dict[str, Any]] = field(default_factory=list)

    def next(self, kind: str = "standing", *, seconds: float = PATIENCE) -> dict[str, Any]:
        """The next frame of this kind; all others are kept in `frames`."""
        while True:
            frame: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
            self.frames.append(frame)
            if frame["type"] == kind:
                return frame

    def next_of_any(self) -> dict[str, Any]:
        return json.loads(self.socket.recv(timeout=PATIENCE))

    def until(self, **wanted: Any) -> dict[str, Any]:
        """The first standing that says all this."""
        while True:
            frame = self.next()
            if wanted.items() <= frame.items():
                return frame

    def greeted(self) -> dict[str, Any]:
        """What every page is sent first; the standing of it."""
        frames = [self.next(kind) for kind in ("standing", "outlook", "notice")]
        return frames[0]

    def to_the_end(self) -> tuple[list[dict[str, Any]], int]:
        """All frames that still come, and the code with which the server closes."""
        frames = []
        while (frame := self._next_if_any()) is not None:
            frames.append(frame)
        assert self.socket.close_code != 1006, "closed without a close frame"
        return frames, self.socket.close_code

    def _next_if_any(self) -> dict[str, Any] | None:
        try:
            return json.loads(self.socket.recv(timeout=PATIENCE))
        except ConnectionClosed:
            return None


@dataclass
class Fan:
    served: Served
    user: User
    session: str
    event_id: int
    pages: ExitStack

    @property
    def person(self) -> str:
        return str(self.user.pk)

    def join(self) -> store.Standing:
        return services.join(event_id=self.event_id, person=self.person, now=clock.now())

    def leave(self) -> None:
        services.leave(event_id=self.event_id, person=self.person, now=clock.now())

    def open(self, query: str = "", **headers: str) -> Page:
        page = self.connect(query, **headers)
        wait_for_listeners()
        return page

    def connect(self, query: str = "", **headers: str) -> Page:
        sent = {"Cookie": f"sessionid={self.session}", "Origin": self.served.origin} | headers
        address = f"ws://localhost:{self.served.port}/ws/events/{self.event_id}/queue/{query}"
        wanted = {name: value for name, value in sent.items() if value}
        line = websocket.connect(
            address, additional_headers=wanted, max_queue=None, open_timeout=PATIENCE
        )
        return Page(self.pages.enter_context(line))

    def ask(self, path: str = "", *, token: str = "", method: str = "GET") -> httpx.Response:
        by_session = {"cookie": f"sessionid={self.session}", "origin": self.served.origin}
        headers = {"authorization": f"Bearer {token}"} if token else by_session
        address = f"{self.served.origin}/api/v1/events/{self.event_id}/queue/{path}"
        # Without TLS: to read all certificates for every call takes longer than the call.
        return httpx.request(method, address, headers=headers, timeout=PATIENCE, verify=False)


@pytest.fixture
def make_fan(served: Served) -> Iterator[Callable[[Any], Fan]]:
    with ExitStack() as pages:

        def make(queue: Any) -> Fan:
            user = make_user(password=None)
            return Fan(served, user, logged_in(user), getattr(queue, "pk", queue), pages)

        yield make


# -- time -----------------------------------------------------------------------------------------


@dataclass
class Ticks:
    """The clock of the queue, one second after the other; each is pushed before the next."""

    now: datetime
    served: Served

    def __call__(self, times: int = 1) -> None:
        for _ in range(times):
            self.now += timedelta(seconds=1)
            services.tick_open_queues(now=self.now)
            for event_id in list(self.served.hub.topics):
                self._wait_until_pushed(event_id)

    def _wait_until_pushed(self, event_id: int) -> None:
        sent = store.last_tick_message(event_id)
        if sent and sent.at_ms == store.ms(self.now):
            wait_until(lambda: self.served.has_pushed(event_id, sent))


@pytest.fixture
def tick(now: datetime, served: Served) -> Ticks:
    return Ticks(now, served)


@pytest.fixture
def paused(open_queue: SaleQueue, now: datetime) -> SaleQueue:
    """Nobody is called: whoever joins waits."""
    return move(open_queue, "paused", now)


def move(queue: SaleQueue, to: str, now: datetime) -> SaleQueue:
    return services.move_queue(event_id=queue.pk, to=SaleQueue.State(to), by=None, now=now)


def message_of(event_id: int, **changes: Any) -> TickMessage:
    """What a tick would publish now; costs no SQL."""
    message = store.run(store.tick_message(event_id))
    return replace(message, **{"at_ms": store.ms(clock.now())} | changes)


def publish(event_id: int, **changes: Any) -> TickMessage:
    message = message_of(event_id, **changes)
    store.publish_tick_messages([message])
    return message


# -- what Redis is asked --------------------------------------------------------------------------

VERBS = {script(file.stem).sha: file.stem for file in FOLDER.glob("[a-z]*.lua")}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every command of the server's coroutines, and of its threads where they read the line."""
    seen: list[str] = []
    together, alone = AutoPipeline._send, Redis.execute_command

    async def noted(self: AutoPipeline, load: list[Any]) -> list[Any]:
        seen.extend(VERBS.get(str(command[1]), command[0]) for command, *_ in load)
        return await together(self, load)

    def noted_alone(self: Redis, *args: Any, **options: Any) -> Any:
        if args[0] == "ZRANGE":
            seen.append("ZRANGE")
        return alone(self, *args, **options)

    monkeypatch.setattr(AutoPipeline, "_send", noted)
    monkeypatch.setattr(Redis, "execute_command", noted_alone)
    return seen


# -- without a server -----------------------------------------------------------------------------


@pytest.fixture
async def no_server() -> AsyncIterator[None]:
    """What a test opens in its own event loop is closed again."""
    yield
    await QueueHub.current().close()
    await redis.close_async_clients()


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Of more pages than a process updates every second, only these at the head get every step."""
    monkeypatch.setattr(settings, "LIVE_EVERYBODY", 0)
    monkeypatch.setattr(QueueTopic, "is_crowded", True)
    return lambda people: monkeypatch.setattr(settings, "LIVE_NEAR", people)
