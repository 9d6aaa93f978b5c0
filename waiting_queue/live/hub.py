"""The hub: the open pages of this process, told once a tick where they stand.

Redis is asked for the whole line when the first page of an event is opened, and when a tick was
missed. After that one message per event and tick is enough for everybody here; polls are answered
from the same knowledge. Open pages and polls are signs of life, which go to Redis in batches.
"""

import asyncio
import logging
from collections.abc import Awaitable
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from django.dispatch import receiver

from ticketing.core import clock
from ticketing.core.live.shutdown import send_back
from ticketing.core.server_signals import server_stopping
from waiting_queue import store
from waiting_queue.live import frames
from waiting_queue.live.subscribers import Connection, Room
from waiting_queue.store import Standing
from waiting_queue.tick_message import TickMessage, event_of
from waiting_queue.tokens import QueueToken

log = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
# An open page is a sign of life this often, or four times while its place is kept.
PAGE_SECONDS = 20.0
IDLE_SECONDS = 60.0
RETRY_SECONDS = 1.0


class QueueHub:
    """All rooms of this process, one subscription and one heart."""

    def __init__(self) -> None:
        self.rooms: dict[int, Room] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def room(self, event_id: int) -> Room:
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._beat())]
        if event_id not in self.rooms:
            self.rooms[event_id] = Room(event_id)
        return self.rooms[event_id]

    def answer(self, held: QueueToken, luck: float) -> str | None:
        """A poll, answered from what is known here; None if Redis must be asked."""
        room = self.room(held.event_id)
        room.used_at = clock.monotonic()
        return room.answer(held, room.used_at, luck)

    async def last_pulse(self, event_id: int) -> TickMessage | None:
        if known := self._heard(event_id):
            return known
        kept = await store.alast_tick_message(event_id)
        return self._heard(event_id) or kept  # one may have come meanwhile

    def _heard(self, event_id: int) -> TickMessage | None:
        room = self.rooms.get(event_id)
        return room.pulse if room else None

    def hear(self, text: str) -> None:
        if room := self.rooms.get(event_of(text)):
            room.hear(TickMessage.from_text(text))

    async def farewell(self) -> None:
        await send_back([page for room in self.rooms.values() for page in room.connections()])
        await self.close()

    async def close(self) -> None:
        for room in self.rooms.values():
            room.close()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self) -> None:
        """A Redis that is gone for a while must not end it."""
        while True:
            for room in self.rooms.values():
                room.doubt()
            try:
                async for text in store.subscribe_to_tick_messages():
                    self.hear(text)
            except Exception as outage:
                log.warning("the ticks can't be heard, trying again: %s", outage)
            await asyncio.sleep(RETRY_SECONDS)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            for room in list(self.rooms.values()):
                try:
                    await beat(room, clock.monotonic(), clock.now())
                except Exception as outage:
                    log.warning("queue %s: signs of life not noted: %s", room.event_id, outage)
            self._forget_idle_rooms(clock.monotonic())

    def _forget_idle_rooms(self, moment: float) -> None:
        for room in list(self.rooms.values()):
            if not room.people and moment - room.used_at > IDLE_SECONDS:
                room.close()
                del self.rooms[room.event_id]


async def beat(room: Room, moment: float, now: datetime) -> None:
    """Polls since the last beat, and all open pages when it is time."""
    polled = set(room.polled)
    absence = room.pulse.absence_ms / 1000 if room.pulse else PAGE_SECONDS
    due = moment - room.beaten_at >= min(PAGE_SECONDS, absence / 4) - BEAT_SECONDS
    people = polled | room.people.keys() if due else polled
    await store.aheartbeat_all(room.event_id, people, now)
    room.polled -= polled  # only now: what could not be noted is noted with the next beat
    if due:
        room.beaten_at = moment


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, QueueHub] = WeakKeyDictionary()


def hub() -> QueueHub:
    """Of this event loop."""
    return _hubs.setdefault(asyncio.get_running_loop(), QueueHub())


@receiver(server_stopping)
async def farewell(**_: Any) -> None:
    await hub().farewell()


async def watch(
    event_id: int, connection: Connection, asked: Awaitable[Standing], now: datetime
) -> None:
    """From now on this page is told where its person stands, beginning with what was asked.

    It is in the room before the answer is there: whatever happens in between is told, too.
    """
    room = hub().room(event_id)
    room.add(connection)
    try:
        found = await asked
        if connection.standing is None:
            first = frames.standing_frame(event_id, connection.person, found, now)
            connection.tell(found, frames.dumps(first))
        for kind, text in frames.announcements(await hub().last_pulse(event_id)).items():
            connection.outbox.put(kind, text)
    except BaseException:
        leave(event_id, connection)
        raise


def leave(event_id: int, connection: Connection) -> None:
    """Closing a page only stops its signs of life."""
    if room := hub().rooms.get(event_id):
        room.remove(connection)
        room.used_at = clock.monotonic()
