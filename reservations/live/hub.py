"""The hub of the seat maps that are open in this process.

Each event with subscribers has one reader, which asks Redis a few times a second what changed, and
all maps are sent the same text. Redis never gets, nor sends, a message per person.
"""

import asyncio
import logging
from collections import defaultdict, deque
from datetime import timedelta
from typing import Any

from channels.db import database_sync_to_async

from reservations import metrics, store
from reservations.live.frames import (
    REFRESH,
    SeatStates,
    latest_states,
    pass_frame,
    request_frame,
    seats_frame,
)
from reservations.store import Changes, RequestChange
from ticketing.core import clock
from ticketing.core.live.hub import Hub, Topic
from ticketing.core.live.send_buffer import Connection
from ticketing.core.live.subscriber import Subscriber, in_batches
from ticketing.core.ttl_cache import ttl_cache
from ticketing.events.selectors import public_event

log = logging.getLogger(__name__)

READ_SECONDS = 0.25
RETRY_SECONDS = 1.0
# A seat list may be so old when it arrives: a new map is sent what changed since.
RECENT = timedelta(seconds=15)


class SeatSubscriber(Subscriber):
    """One open seat map; `fan_id` is None without a login."""

    __slots__ = ("browser", "fan_id", "language")

    def __init__(
        self,
        connection: Connection,
        *,
        fan_id: int | None = None,
        language: str = "ko",
        browser: str = "",
    ) -> None:
        super().__init__(connection)
        self.fan_id, self.language, self.browser = fan_id, language, browser

    def push_seats(self, text: str) -> None:
        """A client too slow for every change is sent to the whole list afterwards."""
        if self.is_behind:
            self.push("refresh", REFRESH)
        else:
            self.push("seats", text)


class SeatTopic(Topic[SeatSubscriber]):
    """The open maps of one event, and their reader."""

    def __init__(self, event_id: int) -> None:
        super().__init__(event_id)
        self._recent: deque[tuple[float, SeatStates]] = deque()
        self._last_seat = self._last_request = store.stream_id_at(clock.now() - RECENT)
        self._last_read: Changes | None = None
        self._version: str | None = None
        self.task = asyncio.create_task(self._read_forever())

    def add(self, subscriber: SeatSubscriber) -> None:
        """Its first frame has the recent changes; even if there are none, it knows it is live."""
        super().add(subscriber)
        ends = clock.monotonic() - RECENT.total_seconds()
        while self._recent and self._recent[0][0] < ends:
            self._recent.popleft()
        recent = {seat: letter for _, states in self._recent for seat, letter in states.items()}
        subscriber.push("seats", seats_frame(recent))

    async def _read_forever(self) -> None:
        while True:
            try:
                await self._push_changes()
            except Exception as outage:
                log.warning("event %s: seat changes can't be read: %s", self.key, outage)
                await self._wait_for_redis()
            await asyncio.sleep(READ_SECONDS)

    async def _wait_for_redis(self) -> None:
        """Afterwards all maps fetch the list: Redis may have lost changes."""
        self._last_read = None
        while self._last_read is None:
            await asyncio.sleep(RETRY_SECONDS)
            try:
                self._last_read = await self._read()
            except Exception as outage:
                log.debug("event %s: Redis still fails: %s", self.key, outage)
        await self._push_seats(REFRESH)

    async def _push_changes(self) -> None:
        before, now = self._last_read, await self._read()
        self._last_read = now
        if now.seats:
            states = latest_states(now.seats)
            self._recent.append((clock.monotonic(), states))
            await self._push_seats(seats_frame(states))
        elif self._is_unexplained(now, before):
            await self._push_seats(REFRESH)
        self._version = now.version or self._version
        if now.requests:
            await self._push_requests(now.requests)
        if now.passes:
            await self._push_passes(dict(now.passes))

    def _is_unexplained(self, now: Changes, before: Changes | None) -> bool:
        """Whether the list changed without holds, which add a seat change before its version."""
        explained = before is None or bool(before.seats)
        changed = bool(now.version and self._version and now.version != self._version)
        return changed and not explained

    async def _read(self) -> Changes:
        last = {"last_seat": self._last_seat, "last_request": self._last_request}
        changes = await asyncio.to_thread(store.changes_since, self.key, **last)
        if changes.seats:
            self._last_seat = changes.seats[-1][0]
        if changes.requests:
            self._last_request = changes.requests[-1][0]
        return changes

    async def _push_seats(self, text: str) -> None:
        async for batch in in_batches(self.subscribers):
            metrics.FRAMES.inc(len(batch))
            for subscriber in batch:
                subscriber.push_seats(text)

    async def _push_requests(self, changes: list[RequestChange]) -> None:
        """One look at the subscribers, however many requests changed: a crowd loses at once."""
        by_fan: dict[int | None, list[dict[str, Any]]] = defaultdict(list)
        for _, requests in changes:
            for fan_id, request in requests:
                by_fan[fan_id].append(request)
        async for batch in in_batches(self.subscribers):
            for subscriber in batch:
                for request in by_fan.get(subscriber.fan_id, ()):
                    text = request_frame(request, subscriber.language)
                    subscriber.push(f"request {request['code']}", text)
                    metrics.FRAMES.inc()

    async def _push_passes(self, browsers: dict[int, str]) -> None:
        """Which browser of a fan has the pass now: to that one and to all others of the fan."""
        async for batch in in_batches(self.subscribers):
            for subscriber in batch:
                if subscriber.fan_id in browsers:
                    is_elsewhere = browsers[subscriber.fan_id] != subscriber.browser
                    subscriber.push("pass", pass_frame(is_elsewhere))
                    metrics.FRAMES.inc()


class SeatHub(Hub[SeatTopic]):
    topic_class = SeatTopic


async def require_public_event(event_id: int) -> None:
    """Not found unless the public may see it; not checked again while it has subscribers."""
    if event_id not in SeatHub.current().topics:
        await database_sync_to_async(_is_public)(event_id)


@ttl_cache(1)
def _is_public(event_id: int) -> bool:
    return bool(public_event(event_id))
