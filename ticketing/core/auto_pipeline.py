"""A Redis client for coroutines that sends what is asked at the same moment in one round trip.

One connection then serves what would otherwise take one each: cheaper for both sides, and a crowd
can't use up the pool.
"""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, NamedTuple, cast

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeout

Command = tuple[Any, ...]

# Round trips under way at once, and commands in one: enough to keep Redis busy, not to block it.
MAX_TRIPS = 2
BATCH = 200
# A time limit is counted in so many parts, each of which counts once however late it is noticed.
PARTS = 4


class Pending(NamedTuple):
    """A command whose answer somebody awaits."""

    command: Command
    answer: asyncio.Future[Any]
    is_text: bool


class AutoPipeline:
    """As much of a client as the hot paths need. A command is sent even if nobody awaits it."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._pending: list[Pending] = []
        self._trips: set[asyncio.Task[None]] = set()

    def get(self, key: str) -> asyncio.Future[Any]:
        return self.call("GET", key)

    def get_bytes(self, key: str) -> asyncio.Future[Any]:
        return self.call("GET", key, is_text=False)

    def evalsha(self, sha: str, numkeys: int, *arguments: Any) -> asyncio.Future[Any]:
        return self.call("EVALSHA", sha, numkeys, *arguments)

    def eval(self, script: str, numkeys: int, *arguments: Any) -> asyncio.Future[Any]:
        return self.call("EVAL", script, numkeys, *arguments)

    def call(self, *command: Any, is_text: bool = True) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        answer = loop.create_future()
        self._pending.append(Pending(command, answer, is_text))
        if len(self._trips) < MAX_TRIPS and len(self._pending) == 1:
            self._trips.add(loop.create_task(self._send_pending()))
        return answer

    async def aclose(self) -> None:
        await asyncio.gather(*self._trips)
        await self._client.aclose()

    async def _send_pending(self) -> None:
        """Send batches until nothing is pending.

        No await stands between that check and the end of the trip, so that no command is left over.
        """
        while self._pending:
            batch = self._take(BATCH)
            try:
                answers = await self._send(batch)
            except Exception as failure:
                # Whoever waits behind a silent Redis fails with it, and doesn't wait in turn.
                batch += self._take(len(self._pending))
                answers = [failure] * len(batch)
            for pending, answer in zip(batch, answers, strict=True):
                _resolve(pending.answer, answer)
        self._trips.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    def _take(self, count: int) -> list[Pending]:
        taken, self._pending = self._pending[:count], self._pending[count:]
        return taken

    async def _send(self, batch: list[Pending]) -> list[Any]:
        """Once more if the connection was cut: every command here may be repeated."""
        try:
            return await self._send_once(batch)
        except RedisConnectionError:
            return await self._send_once(batch)

    async def _send_once(self, batch: list[Pending]) -> list[Any]:
        """One round trip with one time limit; a connection that fails on the way is closed."""
        pool: Any = self._client.connection_pool
        connection = await pool.get_connection()
        try:
            async with responsive_timeout(connection.socket_timeout):
                await connection.send_packed_command(
                    b"".join(packed(pending.command) for pending in batch)
                )
                answers = [await _read_answer(connection, pending.is_text) for pending in batch]
        except TimeoutError as late:
            if breaker := getattr(pool, "breaker", None):
                breaker.open()
            raise RedisTimeout("Redis did not answer in time") from late
        finally:
            await pool.release(connection)
        if breaker := getattr(pool, "breaker", None):
            breaker.close()
        return answers


@asynccontextmanager
async def responsive_timeout(seconds: float | None) -> AsyncIterator[None]:
    """A time limit that does not count the time in which this event loop was busy itself."""
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []
    async with asyncio.timeout(None) as limit:

        def start_part(part: int) -> None:
            if part == PARTS:
                limit.reschedule(loop.time())
            elif seconds:
                timers[:] = [loop.call_later(seconds / PARTS, start_part, part + 1)]

        start_part(0)
        try:
            yield
        finally:
            for timer in timers:
                timer.cancel()


def packed(command: Command) -> bytes:
    """As the protocol has it. redis-py's own packing would cost a poll or a join over 10 % more."""
    return b"*%d\r\n%b" % (len(command), b"".join(map(_packed_argument, command)))


@lru_cache(maxsize=8_192, typed=True)
def _packed_argument(argument: Any) -> bytes:
    """Kept: most arguments of hot calls are the same every time, such as keys and scripts."""
    raw = argument if isinstance(argument, bytes) else str(argument).encode()
    return b"$%d\r\n%b\r\n" % (len(raw), raw)


async def _read_answer(connection: Any, is_text: bool) -> Any:
    try:
        return await connection.read_response(timeout=math.inf, disable_decoding=not is_text)
    except ResponseError as error:
        return error


def _resolve(future: asyncio.Future[Any], answer: Any) -> None:
    if future.done():  # cancelled: nobody waits any more
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
        future.exception()  # marks it as read, so that nothing is logged if it is never awaited
    else:
        future.set_result(answer)
