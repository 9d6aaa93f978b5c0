"""Coroutines that share round trips each get their own answer, whatever happens to the others."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis import asyncio as aioredis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError, ResponseError

from ticketing.core import redis
from ticketing.core.auto_pipeline import LOAD, TRIPS, AutoPipeline


@pytest.fixture
async def together() -> AsyncIterator[AutoPipeline]:
    yield redis.async_client()
    await redis.close_async_clients()


async def test_everybody_gets_their_own_answer(together: AutoPipeline):
    many = range(3 * LOAD + 7)

    answers = await asyncio.gather(*(together.call("ECHO", str(n)) for n in many))

    assert answers == [str(n) for n in many]


async def test_a_crowd_takes_no_more_connections_than_there_are_trips(together: AutoPipeline):
    before = own_connections()

    await asyncio.gather(*(together.call("ECHO", "x") for _ in range(1_000)))

    assert own_connections() - before <= TRIPS


def own_connections() -> int:
    """To this worker's number; the server is shared with tests that run beside this one."""
    number = redis.client().connection_pool.connection_kwargs["db"]
    return sum(client["db"] == str(number) for client in redis.client().client_list())


async def test_control_without_it_a_crowd_uses_up_the_pool():
    from django.conf import settings

    alone = aioredis.Redis.from_url(settings.REDIS_URL, max_connections=10)
    answers = await asyncio.gather(*(alone.echo("x") for _ in range(100)), return_exceptions=True)
    await alone.aclose()

    assert any(isinstance(answer, NoConnection) for answer in answers)


async def test_calls_keep_their_order(together: AutoPipeline):
    sent = [together.call("RPUSH", "order", n) for n in range(500)]

    assert [await answer for answer in sent] == list(range(1, 501))
    assert redis.client().lrange("order", 0, -1) == [str(n) for n in range(500)]


async def test_one_that_fails_spoils_nobody_elses(together: AutoPipeline):
    good, bad, other = together.call("ECHO", "a"), together.call("NONSENSE"), together.get("none")

    assert (await good, await other) == ("a", None)
    with pytest.raises(ResponseError):
        await bad


async def test_no_call_is_left_standing_when_trips_end_and_begin(together: AutoPipeline):
    async def one_after_the_other(name: str) -> int:
        return len([await together.call("ECHO", name) for _ in range(200)])

    told = asyncio.gather(*(one_after_the_other(name) for name in "abcde"))

    assert await asyncio.wait_for(told, 30) == [200] * 5


async def test_whoever_has_gone_is_not_waited_for(together: AutoPipeline):
    gone, here = together.call("ECHO", "gone"), together.call("ECHO", "here")
    gone.cancel()

    assert await here == "here"


async def test_without_a_server_everybody_is_told():
    nobody = AutoPipeline(aioredis.Redis.from_url("redis://127.0.0.1:1/0"))
    answers = await asyncio.gather(*(nobody.get("x") for _ in range(5)), return_exceptions=True)
    await nobody.aclose()

    assert [isinstance(answer, NoConnection) for answer in answers] == [True] * 5


async def test_nobody_queues_up_behind_a_silent_server():
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    silent = AutoPipeline(aioredis.Redis.from_url(f"redis://127.0.0.1:{port}", socket_timeout=0.3))

    calls = asyncio.gather(*(silent.get("x") for _ in range(20 * LOAD)), return_exceptions=True)
    answers = await asyncio.wait_for(calls, 3)
    await silent.aclose()
    server.close()

    assert all(isinstance(answer, RedisError) for answer in answers)
