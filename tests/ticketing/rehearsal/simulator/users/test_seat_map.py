"""The live seat map of a user, against a small site of its own."""

import asyncio
import json
from contextlib import suppress
from random import Random
from types import SimpleNamespace

import pytest
from aiohttp import web

from reservations.live.frames import REFRESH, seats_frame
from tests.ticketing.rehearsal.simulator.users.test_responses import LIST
from ticketing.rehearsal.simulator.history import Record, steady_time
from ticketing.rehearsal.simulator.users import seat_map
from ticketing.rehearsal.simulator.users.http_client import UserHttpClient
from ticketing.rehearsal.simulator.users.seat_map import SeatMap, changes_in
from ticketing.rehearsal.simulator.users.user_socket import UserSocket


class Site:
    """A site with a fixed list, whose sockets are pushed what the test says."""

    def __init__(self):
        self.states, self.lists, self.sockets, self.refuses = "a" * 12, 0, [], False
        self.opens = asyncio.Event()
        self.opens.set()

    async def list(self, request):
        self.lists += 1
        if request.headers.get("If-None-Match") == self.states:
            return web.Response(status=304)
        body = json.dumps(LIST | {"states": self.states}, separators=(",", ":"))
        return web.Response(body=body, headers={"ETag": self.states})

    async def socket(self, request):
        if self.refuses:
            return web.Response(status=503)
        await self.opens.wait()
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.append(socket)
        await socket.send_str(seats_frame({}))
        await socket.receive()
        return socket

    async def push(self, text):
        for socket in self.sockets:
            await socket.send_str(text)


class Fan(SimpleNamespace):
    def record(self, action, began, ended=None, *, status=200, code="", **data):
        self.records.append(Record(1, action, began, ended or steady_time(), status, code, data))

    async def call(self, method, path, **more):
        return await self.http.call(method, path, ip_index=1, **more)


@pytest.fixture
async def site():
    return Site()


@pytest.fixture
async def fan(site):
    app = web.Application()
    app.router.add_get("/api/v1/events/7/seats/", site.list)
    app.router.add_get("/ws/events/7/seats/", site.socket)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    listening = web.TCPSite(runner, "127.0.0.1", 0)
    await listening.start()
    async with UserHttpClient(listening.name, people=1, now=steady_time) as http:
        yield Fan(
            http=http,
            pool=SimpleNamespace(layout=None),
            pause=asyncio.sleep,
            event=7,
            ip_index=1,
            headers={},
            now=steady_time,
            rng=Random(1),
            records=[],
        )
    await runner.cleanup()


@pytest.fixture
async def page(fan):
    it = SeatMap(fan)
    it.open()
    yield it
    await it.close()


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def test_what_is_pushed_is_seen_without_asking_again(site, page):
    assert await page.states() == "a" * 12
    await until(lambda: page.is_current)

    await site.push(seats_frame({201: "h", 106: "s"}))
    await site.push(seats_frame({201: "a", 202: "h"}))
    await until(lambda: len(page._unapplied) == 2)

    assert await page.states() == "ahaaaaaaaaas"
    assert site.lists == 1


async def test_what_was_pushed_while_the_list_was_built_counts_on_top(site, page):
    await until(lambda: site.sockets)
    await site.push(seats_frame({203: "h"}))
    await until(lambda: page._unapplied)

    assert await page.states() == "aahaaaaaaaaa"


async def test_a_list_that_may_lack_something_is_fetched_again(site, page, monkeypatch):
    monkeypatch.setattr(seat_map, "SOON_SECONDS", 0.05)
    await page.states()
    await until(lambda: page.is_current)
    site.states = "b" * 12

    await site.push(REFRESH)
    await until(lambda: page.is_stale)
    await until(lambda: page.is_current)

    assert await page.states() == "b" * 12


async def test_changes_that_keep_coming_do_not_postpone_the_list(site, page, monkeypatch):
    monkeypatch.setattr(seat_map, "SOON_SECONDS", 0.2)
    monkeypatch.setattr(page.fan.rng, "uniform", lambda _least, most: most)
    await page.states()
    await until(lambda: page.is_current)

    async with asyncio.timeout(60):
        while site.lists == 1:
            await site.push(REFRESH)
            await asyncio.sleep(0.01)


async def test_without_a_socket_the_list_is_asked_for(site, fan, page, monkeypatch):
    monkeypatch.setattr(seat_map, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(seat_map, "MAX_DELAY", 0.05)
    site.refuses = True
    await page.states()

    await until(lambda: site.lists >= 3)

    assert not page.is_current
    assert {record.status for record in fan.records if record.action == "connect"} == {503}
    assert {record.status for record in fan.records if record.action == "map"} == {200}


async def test_after_a_gap_the_map_is_current_only_with_a_new_list(site, page, monkeypatch):
    monkeypatch.setattr(seat_map, "MAX_DELAY", 0.05)
    await page.states()
    await until(lambda: page.is_current)

    await site.sockets[0].close()
    await until(lambda: not page.is_current)
    await until(lambda: page.is_current)

    assert (len(site.sockets), site.lists) == (2, 2)


async def test_a_list_from_long_before_the_first_frame_is_fetched_again(site, page, monkeypatch):
    """The first frame has the changes of the last seconds only."""
    monkeypatch.setattr(seat_map, "RECENT", 0.0)
    site.opens.clear()
    await page.states()
    site.states = "b" * 12

    site.opens.set()
    await until(lambda: page.is_current)

    assert await page.states() == "b" * 12


async def test_a_page_that_is_closed_while_its_connection_ends_stays_closed(
    site, page, monkeypatch
):
    async def ignores_cancellation(self):
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    monkeypatch.setattr(UserSocket, "close", ignores_cancellation)
    await until(lambda: page.is_live)
    await site.sockets[0].close()
    await until(lambda: not page.is_live)

    await asyncio.wait_for(page.close(), 60)

    assert len(site.sockets) == 1


async def test_opened_and_closed_connections_are_recorded(fan, page):
    await until(lambda: page.is_live)
    await page.close()

    recorded = [(record.action, record.data) for record in fan.records]
    assert recorded == [("connect", {"channel": "seats"}), ("disconnect", {"channel": "seats"})]
    assert not page.is_live


async def test_a_seat_that_others_took_is_not_chosen_again(site, page):
    await page.states()
    await until(lambda: page.is_current)

    page.mark_taken([202])
    assert await page.states() == "ahaaaaaaaaaa"

    page.is_live = False
    page.mark_taken([])
    assert await page.states() == "a" * 12
    assert site.lists == 2


def test_a_text_that_everybody_is_told_is_read_once():
    text = seats_frame({1: "h"})

    assert changes_in(text) is changes_in("".join(text))
    assert changes_in(text) == {"h": [1]}


def test_the_frames_are_those_that_the_site_sends():
    assert REFRESH.startswith('{"type":"refresh"')
    assert seats_frame({}).startswith('{"type":"seats"')
