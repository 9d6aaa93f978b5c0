"""Lets calls of one moment share a round trip: while one is on its way, the next batch gathers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Batches(Generic[Item, Answer]):
    """Batches of one event loop. `send` answers each item, in order; an exception refuses it."""

    def __init__(
        self, send: Callable[[list[Item]], Awaitable[list[Answer | Exception]]], *, most: int
    ) -> None:
        self._send, self._most = send, most
        self._pending: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._task: asyncio.Task[None] | None = None

    def add(self, item: Item) -> "asyncio.Future[Answer]":
        """The answer; the item is sent even if nobody awaits it any more."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()
        self._pending.append((item, answer))
        if self._task is None:
            self._task = loop.create_task(self._send_pending())
        return answer

    async def _send_pending(self) -> None:
        """No await stands between the last check and the end, so that no item is left over."""
        while self._pending:
            batch, self._pending = self._pending[: self._most], self._pending[self._most :]
            try:
                answers = await self._send([item for item, _ in batch])
            except Exception as failure:
                answers = [failure] * len(batch)
            for (_, waiting), answer in zip(batch, answers, strict=True):
                if waiting.done():  # the caller went away
                    continue
                if isinstance(answer, Exception):
                    waiting.set_exception(answer)
                else:
                    waiting.set_result(answer)
        self._task = None
