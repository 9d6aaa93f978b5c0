"""A Redis that does not answer costs one caller its timeout, and the others nothing."""

import asyncio
import socket
from collections.abc import Iterator
from threading import Thread
from time import sleep
from types import SimpleNamespace
from typing import Any, cast

import pytest
from redis import Redis
from redis import asyncio as aioredis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as NoAnswer

from ticketing.core import clock, redis, redis_breaker
from ticketing.core.auto_pipeline import BATCH, MAX_TRIPS, AutoPipeline, ResponsiveTimeout
from ticketing.core.breaker import OPEN_SECONDS, Breaker
from ticketing.core.redis_breaker import AsyncBreakerPool, BreakerPool, once_more

TIMEOUT = 0.3
OPTIONS: dict[str, Any] = {
    "socket_timeout": TIMEOUT,
    "socket_connect_timeout": TIMEOUT,
    **once_more(),
}


class SilentServer:
    """Accepts connections and keeps what it is sent."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections: list[socket.socket] = []
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                self.connections.append(self.listener.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self.listener.close()
        for connection in self.connections:
            connection.close()


@pytest.fixture
def silent() -> Iterator[SilentServer]:
    server = SilentServer()
    yield server
    server.close()


@pytest.fixture
def time(monkeypatch) -> list[float]:
    """The clock of the breakers; stands still."""
    now = [1_000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    redis_breaker.breaker_of.cache_clear()
    return now


def error_of(client: Redis) -> Exception:
    with pytest.raises(RedisError) as caught:
        client.get("key")
    return caught.value


def test_the_first_call_waits_and_the_next_ones_are_refused_at_once(silent, time):
    client = Redis.from_pool(BreakerPool.from_url(silent.url, **OPTIONS))

    first = error_of(client)
    others = [error_of(client) for _ in range(100)]

    assert isinstance(first, NoAnswer)
    assert all(isinstance(error, NoConnection) for error in others)
    assert len(silent.connections) == 1


def test_control_a_plain_client_lets_every_caller_wait(silent):
    client = Redis.from_url(silent.url, **OPTIONS)

    assert isinstance(error_of(client), NoAnswer)
    assert isinstance(error_of(client), NoAnswer)


def test_one_caller_a_second_tries_again(silent, time):
    client = Redis.from_pool(BreakerPool.from_url(silent.url, **OPTIONS))
    error_of(client)

    time[0] += OPEN_SECONDS
    again = [error_of(client) for _ in range(3)]

    assert [type(error) for error in again] == [NoAnswer, NoConnection, NoConnection]


def test_all_pools_of_a_server_share_the_breaker(silent, time):
    error_of(Redis.from_pool(BreakerPool.from_url(silent.url, **OPTIONS)))

    assert isinstance(
        error_of(Redis.from_pool(BreakerPool.from_url(f"{silent.url}/1", **OPTIONS))), NoConnection
    )


def test_an_answer_closes_it():
    client = redis.client()
    breaker = client.connection_pool.breaker
    breaker.open()
    breaker._open_until = 1e-9  # a moment ago: the next caller may try

    assert client.ping()
    assert breaker._open_until == 0


def test_a_probe_lets_nobody_else_through(time):
    breaker = Breaker(NoConnection)
    breaker.open()
    time[0] += OPEN_SECONDS
    breaker.require_closed()

    with pytest.raises(NoConnection):
        breaker.require_closed()


async def test_coroutines_are_refused_at_once_too(silent, time):
    pipeline = AutoPipeline(
        aioredis.Redis.from_pool(AsyncBreakerPool.from_url(silent.url, **OPTIONS))
    )

    first = await asyncio.gather(*(pipeline.get("key") for _ in range(50)), return_exceptions=True)
    connections = len(silent.connections)
    later = await asyncio.gather(*(pipeline.get("key") for _ in range(50)), return_exceptions=True)
    await pipeline.aclose()

    assert all(isinstance(error, RedisError) for error in first)
    assert {type(error) for error in later} == {NoConnection}
    assert len(silent.connections) == connections


# -- connections that are cut ---------------------------------------------------------------------


async def test_a_connection_that_was_cut_fails_no_call():
    pipeline = redis.async_client()
    redis.client().client_kill_filter(_id=await pipeline.call("CLIENT", "ID"))

    answers = await asyncio.gather(*(pipeline.call("ECHO", str(n)) for n in range(20)))
    await redis.close_async_clients()

    assert answers == [str(n) for n in range(20)]


async def test_connections_that_were_cut_between_two_trips_fail_no_call():
    """Each trip keeps its connection; the server closes all of them, as when it restarts."""
    pipeline = redis.async_client()
    await both_trips(pipeline)
    kept = len(pipeline._kept)
    for number in await asyncio.gather(*(id_of(connection) for connection in pipeline._kept)):
        redis.client().client_kill_filter(_id=number)

    answers = await asyncio.gather(*(pipeline.call("ECHO", str(n)) for n in range(2 * BATCH)))
    await redis.close_async_clients()

    assert kept == MAX_TRIPS
    assert answers == [str(n) for n in range(2 * BATCH)]


async def test_a_kept_connection_is_not_used_after_a_silence():
    """Another server may have taken over meanwhile."""
    pipeline = redis.async_client()
    await both_trips(pipeline)
    before = [connection._writer for connection in pipeline._kept]
    breaker = cast(Breaker, pipeline._breaker)
    breaker.open()
    breaker.close()

    assert await pipeline.call("ECHO", "here") == "here"
    (used,) = pipeline._kept
    assert used._writer not in before
    await redis.close_async_clients()


async def test_trips_one_after_the_other_ask_the_pool_once(monkeypatch):
    pipeline, asked = redis.async_client(), []
    get_connection = AsyncBreakerPool.get_connection

    async def noted(pool: AsyncBreakerPool) -> Any:
        asked.append(pool)
        return await get_connection(pool)

    monkeypatch.setattr(AsyncBreakerPool, "get_connection", noted)
    answers = [await pipeline.call("ECHO", str(n)) for n in range(50)]
    await redis.close_async_clients()

    assert answers == [str(n) for n in range(50)]
    assert len(asked) == 1


async def id_of(connection: Any) -> int:
    await connection.send_command("CLIENT", "ID")
    return int(await connection.read_response())


async def both_trips(pipeline: AutoPipeline) -> None:
    """Use both connections: the second trip begins while the first one is under way."""
    first = pipeline.call("ECHO", "first")
    while pipeline._pending:
        await asyncio.sleep(0)
    await asyncio.gather(first, pipeline.call("ECHO", "second"))


async def test_a_connection_that_is_cut_before_anything_was_sent_is_an_outage():
    """Then uvloop raises a RuntimeError, which is no error of Redis."""

    class CutPool:
        async def get_connection(self) -> None:
            raise RuntimeError("the handler is closed")

    pipeline = AutoPipeline(cast(Any, SimpleNamespace(connection_pool=CutPool())))

    with pytest.raises(NoConnection, match="closed"):
        await pipeline.get("key")


# -- the time limit -------------------------------------------------------------------------------


async def answer_of_a_busy_loop(limit: Any) -> str:
    """The answer is there when the loop, which was busy for longer than the limit, looks again."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        async with limit:
            loop.add_reader(ours, lambda: answer.done() or answer.set_result("here"))
            theirs.send(b"here")
            sleep(0.5)  # the loop is busy with something else
            try:
                return await answer
            finally:
                loop.remove_reader(ours)


async def test_time_in_which_the_loop_itself_was_busy_does_not_count():
    assert await answer_of_a_busy_loop(ResponsiveTimeout(0.2)) == "here"


async def test_control_a_plain_limit_counts_it():
    with pytest.raises(TimeoutError):
        await answer_of_a_busy_loop(asyncio.timeout(0.2))


async def test_a_server_that_says_nothing_is_given_up():
    with pytest.raises(TimeoutError):
        async with ResponsiveTimeout(0.05):
            await asyncio.Event().wait()
