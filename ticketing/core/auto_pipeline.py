"""A Redis client for coroutines that sends what is asked at the same moment in one round trip.

One connection then serves what would otherwise take one each: cheaper for both sides, and a crowd
can't use up the pool.
"""

import asyncio
import math
from functools import lru_cache
from typing import Any, NamedTuple, cast

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeout

from ticketing.core import clock
from ticketing.core.breaker import Breaker
from ticketing.core.metrics.machine import REDIS_LOOP, PoolUse

Command = tuple[Any, ...]

# Round trips under way at once, and commands in one: enough to keep Redis busy, not to block it.
MAX_TRIPS = 2
BATCH = 200
# A time limit is counted in so many parts, each of which counts once however late it is noticed.
PARTS = 4
# What nobody waits for is collected for so long, and then sent together.
LATER_SECONDS = 0.05
# Packed arguments that are kept, at most a few megabytes: long ones are packed each time.
MAX_KEPT, MAX_KEPT_LENGTH = 8_192, 256


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
        self._later: list[Command] = []
        self._trips: set[asyncio.Task[None]] = set()
        self._kept: list[Any] = []  # connections between two trips
        self._seconds: float | None = None  # the time limit of a trip
        self._silences = 0  # of the server, when the connections were last taken from the pool

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

    def send_later(self, *command: Any) -> None:
        """Send what nobody waits for, a moment later: a crowd's commands then share a trip."""
        if not self._later:
            asyncio.get_running_loop().call_later(LATER_SECONDS, self._send_collected)
        self._later.append(command)

    def _send_collected(self) -> None:
        later, self._later = self._later, []
        for command in later:
            self.call(*command)

    async def flush(self) -> None:
        """Send everything now, and wait until it is answered."""
        self._send_collected()
        await asyncio.gather(*self._trips)

    def use(self) -> PoolUse:
        return PoolUse(MAX_TRIPS, len(self._trips), len(self._pending))

    async def aclose(self) -> None:
        await self.flush()
        await self._give_back(*self._kept)
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
        except (RedisConnectionError, RuntimeError):
            pass
        try:
            return await self._send_once(batch)
        except RuntimeError as closed:  # uvloop's, if it was cut between connecting and sending
            raise RedisConnectionError(str(closed)) from closed

    async def _send_once(self, batch: list[Pending]) -> list[Any]:
        """One round trip with one time limit; a connection that fails on the way is closed."""
        connection = await self._connection()
        began = clock.monotonic()
        try:
            async with ResponsiveTimeout(self._seconds):
                await connection.send_packed_command(
                    b"".join([packed(pending.command) for pending in batch])
                )
                answers = [await _read_answer(connection, pending.is_text) for pending in batch]
        except TimeoutError as late:
            await self._give_back(connection)
            if self._breaker:
                self._breaker.open()
            raise RedisTimeout("Redis did not answer in time") from late
        except BaseException:
            await self._give_back(connection)
            raise
        self._keep(connection)
        if self._breaker:
            self._breaker.close()
        REDIS_LOOP.note(clock.monotonic() - began)
        return answers

    # -- connections ------------------------------------------------------------------------------

    @property
    def _breaker(self) -> Breaker | None:
        return getattr(self._client.connection_pool, "breaker", None)

    async def _connection(self) -> Any:
        """One that was kept, or one of the pool, whose checks take longer than the trip itself."""
        breaker = self._breaker
        is_sound = breaker is None or breaker.has_not_opened_since(self._silences)
        if self._kept and is_sound:
            connection = self._kept.pop()
            if await _is_ready(connection):
                return connection
            await self._give_back(connection)
        await self._give_back(*self._kept)
        connection = await self._client.connection_pool.get_connection()
        self._seconds = connection.socket_timeout
        self._silences = breaker.times_opened if breaker else 0
        return connection

    def _keep(self, connection: Any) -> None:
        """Without the limit of its own, which takes a task for every write: each trip has one."""
        connection.socket_timeout = None
        self._kept.append(connection)

    async def _give_back(self, *connections: Any) -> None:
        """To the pool, which checks them before they are used again."""
        self._kept = [kept for kept in self._kept if kept not in connections]
        for connection in connections:
            connection.socket_timeout = self._seconds
            await self._client.connection_pool.release(connection)


async def _is_ready(connection: Any) -> bool:
    """Whether the server has neither closed it nor sent something that nobody asked for."""
    try:
        return connection.is_connected and not await connection.can_read()
    except RedisConnectionError:
        return False


class ResponsiveTimeout:
    """A time limit that does not count the time in which this event loop was busy itself."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds, self._limit = seconds, asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()
        self._start_part(0)

    async def __aexit__(self, *failure: Any) -> None:
        if self._timer:
            self._timer.cancel()
        await self._limit.__aexit__(*failure)

    def _start_part(self, part: int) -> None:
        loop = asyncio.get_running_loop()
        if part == PARTS:
            self._limit.reschedule(loop.time())
        elif self._seconds:
            self._timer = loop.call_later(self._seconds / PARTS, self._start_part, part + 1)


def packed(command: Command) -> bytes:
    """As the protocol has it. redis-py's own packing would cost a poll or a join over 10 % more."""
    try:
        arguments = b"".join(map(_kept_argument, command))
    except TooLongToKeep:
        arguments = b"".join(map(_packed_argument, command))
    return b"*%d\r\n%b" % (len(command), arguments)


class TooLongToKeep(Exception):
    """Raised, not returned: a cache keeps no exceptions, and short arguments pay nothing."""


@lru_cache(maxsize=MAX_KEPT, typed=True)
def _kept_argument(argument: Any) -> bytes:
    """Most arguments of hot calls are the same every time, such as keys and hashes of scripts."""
    argument_packed = _packed_argument(argument)
    if len(argument_packed) > MAX_KEPT_LENGTH:
        raise TooLongToKeep
    return argument_packed


def _packed_argument(argument: Any) -> bytes:
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
