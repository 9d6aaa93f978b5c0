"""Coroutines that share round trips each get their own answer, whatever happens to the others."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis import asyncio as aioredis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError, ResponseError

from ticketing.core import auto_pipeline, event_loop, redis
from ticketing.core.auto_pipeline import BATCH, MAX_TRIPS, AutoPipeline, packed


@pytest.fixture
async def pipeline() -> AsyncIterator[AutoPipeline]:
    yield redis.async_client()
    await redis.close_async_clients()


async def test_every_call_gets_its_own_answer(pipeline: AutoPipeline):
    many = range(3 * BATCH + 7)

    answers = await asyncio.gather(*(pipeline.call("ECHO", str(n)) for n in many))

    assert answers == [str(n) for n in many]


async def test_a_crowd_takes_no_more_connections_than_there_are_trips(pipeline: AutoPipeline):
    before = own_connections()

    await asyncio.gather(*(pipeline.call("ECHO", "x") for _ in range(1_000)))

    assert own_connections() - before <= MAX_TRIPS


def own_connections() -> int:
    """To this worker's number; the server is shared with tests that run beside this one."""
    number = redis.client().connection_pool.connection_kwargs["db"]
    return sum(client["db"] == str(number) for client in redis.client().client_list())


async def test_control_a_plain_client_uses_up_its_pool():
    from django.conf import settings

    alone = aioredis.Redis.from_url(settings.REDIS_URL, max_connections=10)
    answers = await asyncio.gather(*(alone.echo("x") for _ in range(100)), return_exceptions=True)
    await alone.aclose()

    assert any(isinstance(answer, NoConnection) for answer in answers)


async def test_calls_keep_their_order(pipeline: AutoPipeline):
    sent = [pipeline.call("RPUSH", "order", n) for n in range(500)]

    assert [await answer for answer in sent] == list(range(1, 501))
    assert redis.client().lrange("order", 0, -1) == [str(n) for n in range(500)]


async def test_a_call_that_fails_fails_alone(pipeline: AutoPipeline):
    good, bad, other = pipeline.call("ECHO", "a"), pipeline.call("NONSENSE"), pipeline.get("none")

    assert (await good, await other) == ("a", None)
    with pytest.raises(ResponseError):
        await bad


async def test_no_call_is_left_over_when_trips_end_and_begin(pipeline: AutoPipeline):
    async def one_after_the_other(name: str) -> int:
        return len([await pipeline.call("ECHO", name) for _ in range(200)])

    told = asyncio.gather(*(one_after_the_other(name) for name in "abcde"))

    assert await asyncio.wait_for(told, 60) == [200] * 5


async def test_a_cancelled_call_does_not_stop_the_others(pipeline: AutoPipeline):
    gone, here = pipeline.call("ECHO", "gone"), pipeline.call("ECHO", "here")
    gone.cancel()

    assert await here == "here"


async def test_without_a_server_every_call_fails():
    nobody = AutoPipeline(aioredis.Redis.from_url("redis://127.0.0.1:1/0"))
    answers = await asyncio.gather(*(nobody.get("x") for _ in range(5)), return_exceptions=True)
    await nobody.aclose()

    assert [isinstance(answer, NoConnection) for answer in answers] == [True] * 5


async def test_calls_behind_a_silent_server_fail_together():
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    silent = AutoPipeline(aioredis.Redis.from_url(f"redis://127.0.0.1:{port}", socket_timeout=1))

    calls = asyncio.gather(*(silent.get("x") for _ in range(20 * BATCH)), return_exceptions=True)
    answers = await asyncio.wait_for(calls, 10)  # one after the other they would take 20 s
    await silent.aclose()
    server.close()

    assert all(isinstance(answer, RedisError) for answer in answers)


@pytest.mark.parametrize(
    "command", [("GET", "k"), ("EVALSHA", "ab12", 1, "queue:{7}:line", 42, 1.5, "é", b"\xff", "")]
)
def test_commands_are_packed_as_redis_py_packs_them(command: tuple[object, ...]):
    assert packed(command) == b"".join(aioredis.Connection().pack_command(*command))


def test_long_arguments_are_packed_and_not_kept():
    kept = auto_pipeline._kept_argument.cache_info
    packed(("SET", "key"))
    before = kept().currsize

    for number in range(50):
        command = ("SET", "key", f"{number}" * 100_000, b"x" * 100_000)
        assert packed(command) == b"".join(aioredis.Connection().pack_command(*command))

    assert kept().currsize == before


def test_short_arguments_are_kept_up_to_a_number():
    for number in range(auto_pipeline.MAX_KEPT + 10):
        packed(("GET", f"key-{number}"))

    kept = auto_pipeline._kept_argument.cache_info()
    assert kept.currsize == kept.maxsize == auto_pipeline.MAX_KEPT


async def test_what_nobody_waits_for_is_sent_together(
    pipeline: AutoPipeline, monkeypatch: pytest.MonkeyPatch
):
    trips: list[int] = []
    send = AutoPipeline._send

    async def noted(self: AutoPipeline, batch: list[auto_pipeline.Pending]) -> list[object]:
        trips.append(len(batch))
        return await send(self, batch)

    monkeypatch.setattr(AutoPipeline, "_send", noted)
    for number in range(5):
        pipeline.send_later("RPUSH", "later", number)
        await asyncio.sleep(0)
    while len(redis.client().lrange("later", 0, -1)) < 5:
        await asyncio.sleep(0.01)

    assert redis.client().lrange("later", 0, -1) == [str(n) for n in range(5)]
    assert trips == [5]


async def test_nothing_is_left_unsent_when_the_loop_ends(pipeline: AutoPipeline):
    pipeline.send_later("RPUSH", "at the end", "x")

    await event_loop.end()

    assert redis.client().lrange("at the end", 0, -1) == ["x"]
