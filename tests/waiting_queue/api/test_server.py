"""The same through a real server and real sockets."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
import uvicorn
from asgiref.sync import sync_to_async
from django.db import connections

from tests.faults.site import free_port
from tests.making import make_user
from tests.waiting_queue.api.conftest import logged_in
from ticketing.core import redis
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def address(transactional_db: None) -> AsyncIterator[str]:
    port = free_port()
    config = uvicorn.Config(
        "ticketing.asgi:application",
        port=port,
        log_config=None,
        lifespan="off",
        access_log=False,
        # Client and server share this loop: on a busy machine the client's connections are idle
        # for longer than the usual 5 s, and it would meet one that was just closed.
        timeout_keep_alive=120,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server._serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    await serving
    await redis.close_async_clients()
    await sync_to_async(connections.close_all)()


async def test_a_crowd_of_sockets_is_served_in_order_and_without_errors(
    address: str, paused: SaleQueue
):
    """More callers at once than one Redis pool has connections."""
    users = [await sync_to_async(make_user)(password=None) for _ in range(150)]
    sessions = [await sync_to_async(logged_in)(user) for user in users]
    limits = httpx.Limits(max_connections=150)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=60) as http:
        queue = f"/api/v1/events/{paused.pk}/queue/"

        async def join_and_poll(session: str) -> tuple[int, int, int]:
            headers = {"cookie": f"sessionid={session}", "origin": address}
            joined = await http.post(queue, headers=headers)
            bearer = {"authorization": f"Bearer {joined.json()['token']}"}
            polled = await http.get(queue, headers=bearer)
            return joined.status_code, polled.status_code, polled.json()["number"]

        seen = await asyncio.gather(*map(join_and_poll, sessions))

    assert {(joined, polled) for joined, polled, _ in seen} == {(201, 200)}
    assert sorted(number for *_, number in seen) == list(range(1, 151))


async def test_a_large_body_is_refused_and_the_server_goes_on(address: str, paused: SaleQueue):
    user = await sync_to_async(make_user)(password=None)
    session = await sync_to_async(logged_in)(user)
    queue = f"/api/v1/events/{paused.pk}/queue/"
    headers = {"cookie": f"sessionid={session}", "origin": address}
    async with httpx.AsyncClient(base_url=address) as http:
        large = await http.post(queue, headers=headers, content=b"x" * 200_000)
        after = await http.post(queue, headers=headers)

    assert (large.status_code, after.status_code) == (413, 201)


async def test_django_answers_what_the_fast_path_does_not_take(address: str, paused: SaleQueue):
    async with httpx.AsyncClient(base_url=address) as http:
        put = await http.put(f"/api/v1/events/{paused.pk}/queue/")
        missing = await http.get(f"/api/v1/events/{paused.pk}/queue/nothing/")
        host = await http.get(
            f"/api/v1/events/{paused.pk}/queue/", headers={"host": "evil.example"}
        )

    assert [answer.status_code for answer in (put, missing, host)] == [405, 404, 400]
    assert {answer.json()["code"] for answer in (put, missing, host)} == {
        "method_not_allowed",
        "not_found",
        "invalid_input",
    }
