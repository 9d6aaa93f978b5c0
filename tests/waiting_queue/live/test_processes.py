"""Servers as processes of their own: several, killed, restarted, and with thousands of pages."""

import asyncio
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.faults.site import Site, free_port, until
from tests.soak import SOAK
from tests.waiting_queue.live.backend import Backend
from ticketing.development.embedded import process

PATIENCE = 60  # seconds, for a slow machine
MANY = 2_000 if SOAK > 1 else 600
people = count(1)


@dataclass
class Web:
    """One server process."""

    env: dict[str, str]
    port: int = field(default_factory=free_port)
    child: subprocess.Popen[bytes] | None = None
    has_listener: bool = False

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        self.has_listener = False
        env = self.env | {"PORT": str(self.port), "LIVE_NEAR": "5000"}
        self.child = process.start([sys.executable, "manage.py", "serve"], env=env, cwd=Path.cwd())

    def wait_until_ready(self) -> None:
        until(lambda: httpx.get(f"{self.origin}/healthz").status_code == 200, seconds=PATIENCE)

    def end(self, how: signal.Signals) -> int:
        assert self.child is not None
        self.has_listener = False
        self.child.send_signal(how)
        return self.child.wait(PATIENCE)


@dataclass
class Place:
    """The servers, the rest of the site, and an event of this test's own."""

    site: Site
    backend: Backend
    webs: list[Web]
    event_id: int

    def join(self, number: int) -> dict[str, str]:
        newcomers = [str(next(people)) for _ in range(number)]
        tokens: dict[str, str] = self.backend("join", event_id=self.event_id, people=newcomers)
        return tokens

    async def ask(self, verb: str, **told: Any) -> Any:
        """The test's own loop goes on meanwhile."""
        return await asyncio.to_thread(self.backend, verb, **told)

    async def leave(self, person: str) -> None:
        await self.ask("leave", event_id=self.event_id, person=person)

    async def until_all_listen(self) -> None:
        """A server listens from its first page on."""
        async with asyncio.timeout(PATIENCE):
            while await self.ask("listeners") != sum(web.has_listener for web in self.webs):
                await asyncio.sleep(0.05)


@pytest.fixture(scope="module")
def processes() -> Iterator[tuple[Site, Backend, list[Web]]]:
    """With a Valkey that keeps what it is told, as the embedded one does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 3 * MANY), hard), hard))
    site = Site(var=Path(settings.VAR_DIR))
    webs = [Web(site.env), Web(site.env)]
    try:
        site.valkey.stop()
        site.valkey.disposable = False
        site.start_again(site.valkey)
        backend = Backend(site.env)
        for web in webs:
            web.launch()
        for web in webs:
            web.wait_until_ready()
        yield site, backend, webs
        backend.stop()
    finally:
        for web in webs:
            if web.child:
                process.stop(web.child)
        site.stop()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def place(processes: tuple[Site, Backend, list[Web]]) -> Iterator[Place]:
    """Whole before and after each test."""
    site, backend, webs = processes
    yield Place(site, backend, webs, backend("another_event"))
    for web in webs:
        if web.child is None or web.child.poll() is not None:
            web.start()


class Fan:
    """A page that does what ours does: it comes back by itself, elsewhere if it must."""

    def __init__(self, place: Place, token: str, webs: list[Web]) -> None:
        self.place, self.token, self.webs = place, token, webs
        self.heard: list[dict[str, Any]] = []
        self.connections: list[int] = []
        self.codes: list[int | None] = []
        self._page = asyncio.create_task(self._live())
        self._arrived = asyncio.Event()

    async def _live(self) -> None:
        while True:
            web = self.webs[len(self.codes) % len(self.webs)]
            try:
                async with self._connected(web) as line:
                    self.connections.append(web.port)
                    web.has_listener = True
                    await self._listen(line)
            except ConnectionClosed as closed:
                self.codes.append(closed.rcvd.code if closed.rcvd else None)
            except (OSError, EOFError, TimeoutError):
                self.codes.append(None)
                await asyncio.sleep(0.1)

    def _connected(self, web: Web) -> Any:
        return connect(
            f"ws://127.0.0.1:{web.port}/ws/events/{self.place.event_id}/queue/",
            additional_headers={"Authorization": f"Bearer {self.token}", "Origin": web.origin},
            compression=None,
            ping_interval=None,
            open_timeout=PATIENCE,
        )

    async def _listen(self, line: ClientConnection) -> None:
        while True:
            self.heard.append(json.loads(await line.recv()))
            self._arrived.set()

    async def until(self, true: Callable[["Fan"], Any]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not true(self):
                self._arrived.clear()
                await self._arrived.wait()

    async def until_told(self, **wanted: Any) -> None:
        await self.until(lambda fan: any(wanted.items() <= it.items() for it in fan.standings))

    @property
    def standings(self) -> list[dict[str, Any]]:
        return [frame for frame in self.heard if frame["type"] == "standing"]

    @property
    def places(self) -> list[int]:
        """Every place that it was told, one after the other."""
        told = [frame["ahead"] for frame in self.standings]
        return [it for at, it in enumerate(told) if at == 0 or told[at - 1] != it]

    async def close(self) -> None:
        self._page.cancel()
        await asyncio.gather(self._page, return_exceptions=True)


async def open_all(place: Place, tokens: list[str], *webs: Web) -> list[Fan]:
    fans = [Fan(place, token, list(webs)) for token in tokens]
    await asyncio.gather(*(fan.until(lambda fan: len(fan.heard) > 2) for fan in fans))
    return fans


async def close_all(fans: list[Fan]) -> None:
    await asyncio.gather(*(fan.close() for fan in fans))


async def test_one_tick_reaches_the_pages_of_all_processes(place):
    tokens = place.join(20)
    first, *rest = tokens
    here = await open_all(place, [tokens[it] for it in rest[::2]], place.webs[0])
    there = await open_all(place, [tokens[it] for it in rest[1::2]], place.webs[1])
    await place.until_all_listen()

    await place.leave(first)
    await place.ask("tick")
    fans = here + there
    await asyncio.gather(*(fan.until(lambda fan: len(fan.places) > 1) for fan in fans))

    moved = {fan.standings[-1]["number"]: fan.places for fan in fans}
    assert moved == {number: [number - 1, number - 2] for number in range(2, 21)}
    await close_all(fans)


async def test_pages_of_a_killed_server_reconnect_with_the_same_number(place):
    tokens = place.join(10)
    one, other = place.webs
    fans = await open_all(place, list(tokens.values()), one, other)
    before = [fan.standings[-1]["number"] for fan in fans]

    one.end(signal.SIGKILL)
    await asyncio.gather(
        *(fan.until(lambda fan: fan.connections[-1] == other.port) for fan in fans)
    )
    await place.until_all_listen()
    await place.ask("tick")
    await place.leave(next(iter(tokens)))
    await place.ask("tick")
    await fans[-1].until_told(ahead=8)

    assert [fan.standings[-1]["number"] for fan in fans[1:]] == before[1:]
    assert before == list(range(1, 11))
    await close_all(fans)


async def test_a_server_that_stops_says_when_to_reconnect(place):
    tokens = place.join(30)
    one, other = place.webs
    fans = await open_all(place, list(tokens.values()), one, other)

    code = await asyncio.to_thread(one.end, signal.SIGTERM)
    for fan in fans:
        await fan.until(lambda fan: fan.connections[-1] == other.port)

    told = [frame["after_ms"] for fan in fans for frame in fan.heard if "after_ms" in frame]
    assert len(told) == 30
    assert len(set(told)) > 15
    assert {fan.codes[0] for fan in fans} == {1012}
    assert code in {0, -signal.SIGTERM}
    await close_all(fans)


async def test_pages_recover_by_themselves_from_a_redis_that_was_restarted(place):
    """The pages stay open; what they knew is checked, and what comes is told."""
    tokens = place.join(10)
    gone, *_ = tokens
    fans = await open_all(place, list(tokens.values())[1:5], place.webs[0])
    fans += await open_all(place, list(tokens.values())[5:], place.webs[1])
    await place.until_all_listen()
    await place.ask("tick")
    numbers = await place.ask("numbers", event_id=place.event_id)

    place.site.kill(place.site.valkey)
    down = await place.ask("tick")
    place.site.start_again(place.site.valkey)  # it lives as long as the thread that starts it
    await place.until_all_listen()
    await place.ask("tick")  # rebuilds the line: the server may lack its last second
    kept = await place.ask("numbers", event_id=place.event_id)
    await place.leave(gone)
    await place.ask("tick")
    await asyncio.gather(*(fan.until(lambda fan: len(fan.places) > 1) for fan in fans))

    assert "failed" in str(down)
    assert kept == numbers == list(range(1, 11))
    assert [fan.places for fan in fans] == [[ahead, ahead - 1] for ahead in range(1, 10)]
    assert {len(fan.connections) for fan in fans} == {1}
    await close_all(fans)


@pytest.mark.soak(scales=True)
async def test_many_pages_on_one_process_get_every_step(place):
    tokens = place.join(MANY + 3)
    leavers, web = list(tokens)[:3], place.webs[0]
    waiting = [tokens[person] for person in list(tokens)[3:]]
    fans: list[Fan] = []
    for start in range(0, MANY, 200):
        fans += await open_all(place, waiting[start : start + 200], web)
    await place.until_all_listen()
    await place.ask("tick")

    for steps, person in enumerate(leavers, start=1):
        await place.leave(person)
        await place.ask("tick")
        await asyncio.gather(*(fan.until(lambda fan, n=steps: len(fan.places) > n) for fan in fans))

    assert len({fan.standings[-1]["number"] for fan in fans}) == MANY
    assert all(
        fan.places == [fan.standings[0]["number"] - 1 - steps for steps in range(4)] for fan in fans
    )
    await close_all(fans)
