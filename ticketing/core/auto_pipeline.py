"""Coroutines that ask Redis at the same moment share a round trip.

One connection then serves what would otherwise take one each: cheaper for both sides, and no crowd
can use up the pool.
"""

import asyncio
import math
from functools import lru_cache
from typing import Any, cast

from redis.asyncio import Redis
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeout

Command = tuple[Any, ...]
# What is asked, who waits for it, and whether the answer is text.
Asked = tuple[Command, asyncio.Future[Any], bool]

# Round trips under way at once, and commands in one: enough to keep Redis busy, not to block it.
TRIPS = 2
LOAD = 200


class AutoPipeline:
    """As much of a client as the hot paths need. A call is sent even if nobody awaits it."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._waiting: list[Asked] = []
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
        self._waiting.append((command, answer, is_text))
        if len(self._trips) < TRIPS and len(self._waiting) == 1:
            self._trips.add(loop.create_task(self._travel()))
        return answer

    async def aclose(self) -> None:
        await asyncio.gather(*self._trips)
        await self._client.aclose()

    async def _travel(self) -> None:
        """Off the list in the same breath as nothing is waiting: no call is left standing."""
        while self._waiting:
            load = self._take(LOAD)
            try:
                answers = await self._ask(load)
            except Exception as failure:
                # Nobody queues up behind a Redis that is silent, only to wait for it in turn.
                load += self._take(len(self._waiting))
                answers = [failure] * len(load)
            for (_, future, _), answer in zip(load, answers, strict=True):
                settle(future, answer)
        self._trips.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    def _take(self, count: int) -> list[Asked]:
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken

    async def _ask(self, load: list[Asked]) -> list[Any]:
        """One trip, with one time limit; a connection that fails on the way is closed."""
        pool = self._client.connection_pool
        connection = await pool.get_connection()
        try:
            async with asyncio.timeout(connection.socket_timeout):
                await connection.send_packed_command(
                    b"".join(packed(command) for command, _, _ in load)
                )
                return [await answer_of(connection, is_text) for _, _, is_text in load]
        except TimeoutError as late:
            raise RedisTimeout("Redis did not answer in time") from late
        finally:
            await pool.release(connection)


async def answer_of(connection: Any, is_text: bool) -> Any:
    try:
        return await connection.read_response(timeout=math.inf, disable_decoding=not is_text)
    except ResponseError as refusal:
        return refusal


def packed(command: Command) -> bytes:
    return b"*%d\r\n%b" % (len(command), b"".join(map(word, command)))


@lru_cache(maxsize=8_192, typed=True)
def word(part: Any) -> bytes:
    """As the protocol wants it. Most words of hot calls are the same every time: keys, scripts."""
    raw = part if isinstance(part, bytes) else str(part).encode()
    return b"$%d\r\n%b\r\n" % (len(raw), raw)


def settle(future: asyncio.Future[Any], answer: Any) -> None:
    if future.done():  # whoever asked has gone
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
        future.exception()  # no complaint in the log if another answer was raised first
    else:
        future.set_result(answer)
