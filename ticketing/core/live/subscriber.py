"""Subscribers: the open connections that a topic pushes to."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import TypeVar

from ticketing.core.live.send_buffer import SendBuffer

BATCH = 250  # sends before other coroutines of this process get their turn

Item = TypeVar("Item")


class Subscriber(SendBuffer):
    """One open connection. Apps add what they know of the person behind it."""

    __slots__ = ()

    def push_several(self, texts: Mapping[str, str]) -> None:
        """Send messages by kind, in one write."""
        (kind, text), *more = texts.items()
        self.push(kind, text, dict(more))

    def disconnect(self) -> None:
        """Close the connection from the server's side, without waiting for it."""
        self._connection.close_soon()


async def in_batches(items: Iterable[Item]) -> AsyncIterator[list[Item]]:
    """The items in lists of a bounded size; other coroutines run after each list."""
    everything = list(items)
    for start in range(0, len(everything), BATCH):
        yield everything[start : start + BATCH]
        await asyncio.sleep(0)
