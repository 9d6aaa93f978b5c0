"""The hub of the consoles open in this process: one subscription, however many they are."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from django.dispatch import receiver

from ticketing.console import store
from ticketing.core.errors import DomainError
from ticketing.core.live.send_buffer import SendBuffer
from ticketing.core.live.shutdown import send_back
from ticketing.core.server_signals import server_stopping

log = logging.getLogger(__name__)
RETRY_SECONDS = 1.0
# Whoever loses the right to watch sees at most so much more.
RECHECK_SECONDS = 15.0
# The room of those who watch every sale; no event has this number.
ALL = 0


@dataclass(slots=True, eq=False)
class Connection:
    """One open console. `recheck` raises if its owner may not watch any more."""

    outbox: SendBuffer
    end: Callable[[], None]
    recheck: Callable[[], Any]
    refuse: Callable[[DomainError], Any]


class ConsoleHub:
    def __init__(self) -> None:
        self.rooms: dict[int, set[Connection]] = defaultdict(set)
        self._tasks: list[asyncio.Task[None]] = []

    def watch(self, event_id: int, connection: Connection) -> None:
        if not self._tasks:
            work = (self._listen(), self._recheck())
            self._tasks = [asyncio.create_task(each) for each in work]
        self.rooms[event_id].add(connection)

    def leave(self, event_id: int, connection: Connection) -> None:
        connection.outbox.close()
        self.rooms[event_id].discard(connection)
        if not self.rooms[event_id]:
            del self.rooms[event_id]

    def hear(self, event_id: int, figures: str) -> None:
        """Everybody is sent the same text, made once."""
        listeners = [*self.rooms.get(event_id, ()), *self.rooms.get(ALL, ())]
        text = f'{{"type":"sample","event":{event_id},"figures":{figures}}}'
        for connection in listeners:
            connection.outbox.put(f"sample {event_id}", text)

    def connections(self) -> list[Connection]:
        return [connection for room in self.rooms.values() for connection in room]

    async def recheck(self) -> None:
        for connection in self.connections():
            try:
                await connection.recheck()
            except DomainError as refusal:
                await connection.refuse(refusal)
            except Exception as outage:
                log.warning("who may watch could not be asked: %s", outage)

    async def farewell(self) -> None:
        await send_back(self.connections())
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self) -> None:
        """Who misses a sample meanwhile sees that in the next one, and asks for it."""
        while True:
            try:
                async for event_id, figures in store.published_samples():
                    self.hear(event_id, figures)
            except Exception as outage:
                log.warning("samples can't be heard, trying again: %s", outage)
            await asyncio.sleep(RETRY_SECONDS)

    async def _recheck(self) -> None:
        while True:
            await asyncio.sleep(RECHECK_SECONDS)
            await self.recheck()


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, ConsoleHub] = WeakKeyDictionary()


def hub() -> ConsoleHub:
    """Of this event loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), ConsoleHub())


@receiver(server_stopping)
async def farewell(**_: Any) -> None:
    await hub().farewell()
