"""A rehearsal beside people has few calls under way; the others wait on its own side."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from ticketing.rehearsal.simulator.history import steady_time
from ticketing.rehearsal.simulator.users.http_client import UserHttpClient
from ticketing.rehearsal.simulator.users.responses import Response

CALLS = 6


class Site:
    """Answers nobody until so many calls are there."""

    def __init__(self, expected: int) -> None:
        self.expected, self.under_way, self.most = expected, 0, 0
        self.all_there = asyncio.Event()

    async def answer(self, request: web.Request) -> web.Response:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        if self.under_way == self.expected:
            self.all_there.set()
        await self.all_there.wait()
        await asyncio.sleep(0)  # whoever else may come, does
        self.under_way -= 1
        return web.Response()


@asynccontextmanager
async def client_of(site: Site, **share: Any) -> AsyncIterator[UserHttpClient]:
    app = web.Application()
    app.router.add_get("/", site.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    async with UserHttpClient(url, people=1, now=steady_time, **share) as client:
        yield client
    await runner.cleanup()


def call(client: UserHttpClient) -> Coroutine[Any, Any, Response]:
    return client.call("GET", "/", ip_index=0, headers={})


@pytest.mark.parametrize(("share", "most"), [({"calls": 2}, 2), ({}, CALLS)])
async def test_no_more_calls_are_under_way_than_its_share(share, most):
    site = Site(expected=most)

    async with client_of(site, **share) as client:
        answers = await asyncio.gather(*(call(client) for _ in range(CALLS)))

    assert {answer.status for answer in answers} == {200}
    assert site.most == most


async def test_a_slow_site_gets_longer_rests():
    async with client_of(Site(expected=1), calls=1, rest=3.0) as client:
        first, second = [await call(client) for _ in range(2)]

    assert second.began - first.ended >= 2.9 * (first.ended - first.began)
