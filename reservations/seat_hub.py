"""The hub of the seat maps that are open in this process.

For each event with watchers one reader asks Redis a few times a second what changed, and everybody
is sent the same text. Redis never gets, nor sends, a message per person.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from django.dispatch import receiver

from reservations import metrics, store
from reservations.frames import (
    REFRESH,
    Changes,
    changes_of,
    request_frame,
    seats_frame,
)
from reservations.store import Glance, Told
from ticketing.core import clock
from ticketing.core.live.send_buffer import SendBuffer, breathe
from ticketing.core.live.shutdown import send_back
from ticketing.core.server_signals import server_stopping
from ticketing.core.ttl_cache import ttl_cache
from ticketing.events.selectors import public_event

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
RETRY_SECONDS = 1.0
# A seat list may be so old when it arrives: whoever connects is told what changed since.
RECENT = timedelta(seconds=15)


@dataclass(slots=True, eq=False)
class Connection:
    """One open seat map; `fan_id` is None for strangers."""

    outbox: SendBuffer
    end: Callable[[], None]
    fan_id: int | None = None
    language: str = "ko"

    def tell_changes(self, text: str) -> None:
        """Who is too slow to hear of every change looks at the whole list afterwards."""
        if self.outbox.is_behind:
            self.outbox.put("refresh", REFRESH)
        else:
            self.outbox.put("seats", text)


class Room:
    """The open maps of one event, and their reader."""

    def __init__(self, event_id: int, now: datetime) -> None:
        self.event_id = event_id
        self.connections: set[Connection] = set()
        self._recent: deque[tuple[float, Changes]] = deque()
        self._last_news = self._last_request = store.name_of(now - RECENT)
        self._glance: Glance | None = None
        self._version: str | None = None
        self._reader = asyncio.create_task(self._read())

    def add(self, connection: Connection) -> None:
        """Told at once what changed lately; even if that is nothing, it knows that it is live."""
        self.connections.add(connection)
        connection.outbox.put("seats", seats_frame(self._lately()))

    def remove(self, connection: Connection) -> None:
        connection.outbox.close()
        self.connections.discard(connection)

    def close(self) -> None:
        self._reader.cancel()

    async def _read(self) -> None:
        while True:
            try:
                await self._look()
            except Exception as outage:
                log.warning("event %s: seats can't be watched: %s", self.event_id, outage)
                await self._wait_until_it_answers()
            await asyncio.sleep(LOOK_SECONDS)

    async def _wait_until_it_answers(self) -> None:
        """Afterwards the list has to be looked at: Redis may have forgotten what it was told."""
        self._glance = None
        while self._glance is None:
            await asyncio.sleep(RETRY_SECONDS)
            try:
                self._glance = await self._ask()
            except Exception as outage:
                log.debug("event %s: still not: %s", self.event_id, outage)
        await self._tell_all(REFRESH)

    async def _look(self) -> None:
        before, now = self._glance, await self._ask()
        self._glance = now
        if now.news:
            changes = changes_of(now.news)
            self._recent.append((clock.monotonic(), changes))
            await self._tell_all(seats_frame(changes))
        elif self._is_unexplained(now, before):
            await self._tell_all(REFRESH)
        self._version = now.version or self._version
        for told in now.requests:
            self._tell_fan(told)

    def _is_unexplained(self, now: Glance, before: Glance | None) -> bool:
        """Whether seats changed otherwise than by holds, which say so first; or may have."""
        explained = before is None or bool(before.news)
        changed = bool(now.version and self._version and now.version != self._version)
        return changed and not explained

    async def _ask(self) -> Glance:
        last = {"last_news": self._last_news, "last_request": self._last_request}
        seen = await asyncio.to_thread(store.glance, self.event_id, **last)
        if seen.news:
            self._last_news = seen.news[-1][0]
        if seen.requests:
            self._last_request = seen.requests[-1][0]
        return seen

    async def _tell_all(self, text: str) -> None:
        everybody = list(self.connections)
        metrics.FRAMES.inc(len(everybody))
        for number, connection in enumerate(everybody, start=1):
            connection.tell_changes(text)
            await breathe(number)

    def _tell_fan(self, told: Told) -> None:
        _, fan_id, request = told
        for connection in self.connections:
            if connection.fan_id == fan_id:
                text = request_frame(request, connection.language)
                connection.outbox.put(f"request {request['code']}", text)
                metrics.FRAMES.inc()

    def _lately(self) -> Changes:
        ends = clock.monotonic() - RECENT.total_seconds()
        while self._recent and self._recent[0][0] < ends:
            self._recent.popleft()
        return {seat: letter for _, changes in self._recent for seat, letter in changes.items()}


class SeatHub:
    """All rooms of this process."""

    def __init__(self) -> None:
        self.rooms: dict[int, Room] = {}

    def watch(self, event_id: int, connection: Connection, now: datetime) -> None:
        if event_id not in self.rooms:
            self.rooms[event_id] = Room(event_id, now)
        self.rooms[event_id].add(connection)

    def leave(self, event_id: int, connection: Connection) -> None:
        if room := self.rooms.get(event_id):
            room.remove(connection)
            if not room.connections:
                self.rooms.pop(event_id).close()

    async def farewell(self) -> None:
        await send_back([page for room in self.rooms.values() for page in room.connections])
        for room in self.rooms.values():
            room.close()


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, SeatHub] = WeakKeyDictionary()


def hub() -> SeatHub:
    """Of this event loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), SeatHub())


@receiver(server_stopping)
async def farewell(**_: Any) -> None:
    await hub().farewell()


async def require_event(event_id: int) -> None:
    """Not found unless the public may see it; where others watch already, nobody is asked."""
    if event_id not in hub().rooms:
        await database_sync_to_async(_public)(event_id)


@ttl_cache(1)
def _public(event_id: int) -> bool:
    return bool(public_event(event_id))
