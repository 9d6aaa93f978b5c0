"""The hub of the waiting pages that are open in this process.

Redis is asked for the whole line when the first page of an event is opened, and when a tick message
was missed. After that one message per event and tick is enough for all pages; polls are answered
from the same ranks. Open pages and polls are signs of life, which go to Redis in batches.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Iterable
from datetime import datetime
from typing import Any

from django.conf import settings

from ticketing.core import clock
from ticketing.core.live.hub import Hub, listen
from ticketing.core.live.send_buffer import NOTHING
from waiting_queue import store
from waiting_queue.errors import TooManyPages
from waiting_queue.live import frames
from waiting_queue.live.page_limit import lease_places, release_places
from waiting_queue.live.subscribers import QueueSubscriber
from waiting_queue.live.topics import QueueTopic
from waiting_queue.store import Standing
from waiting_queue.tick_message import TickMessage, event_of
from waiting_queue.tokens import QueueToken

log = logging.getLogger(__name__)

# Between two batches; an open page is in one of them each settings.HEARTBEAT_SECONDS, or four times
# while its place is kept.
BATCH_SECONDS = 2.0


class QueueHub(Hub[QueueTopic]):
    topic_class = QueueTopic
    idle_seconds = 60.0  # polls are answered without any subscriber

    def background_work(self) -> Iterable[Coroutine[Any, Any, None]]:
        return listen(self._messages, self.receive), self._send_heartbeats()

    def open_known(self, subscriber: QueueSubscriber, held: QueueToken, turn: int) -> bool:
        """Subscribe and send the first frames without asking Redis, if this process knows them."""
        topic = self.topic(held.event_id)
        if topic.message is None:
            return False
        topic.require_free_place(subscriber.person)
        if not topic.greet(subscriber, held, turn):
            return False
        topic.add(subscriber)
        return True

    async def open_subscription(
        self,
        event_id: int,
        subscriber: QueueSubscriber,
        standing: Coroutine[Any, Any, Standing],
        now: datetime,
    ) -> None:
        """Subscribe, and send the first frames: the standing, the outlook and the notice.

        It subscribes before the standing is known: whatever happens in between is pushed, too.
        """
        try:
            self.subscribe(event_id, subscriber)
        except TooManyPages:
            standing.close()
            raise
        try:
            first = await standing
            received = self._received(event_id)
            known = self.topics[event_id].announcement_frames() if received else NOTHING
            if subscriber.standing is None:
                person, browser = subscriber.person, subscriber.browser
                frame = frames.standing_frame(event_id, person, first, now, browser=browser)
                subscriber.push_standing(first, frames.dumps(frame), known)
            else:  # which of both is newer is not known
                self.topics[event_id].look_up_next(subscriber)
                if known:
                    subscriber.push_several(known)
            if not known:
                message = await self.last_message(event_id)
                subscriber.push_several(frames.announcement_frames(message))
        except BaseException:
            self.unsubscribe(event_id, subscriber)
            raise

    def answer(self, held: QueueToken, luck: float, turn: int = 0) -> str | None:
        """The answer to a poll from this process's own ranks; None if Redis must be asked."""
        topic = self.topic(held.event_id)
        topic.used_at = clock.monotonic()
        return topic.answer(held, topic.used_at, luck, turn)

    async def last_message(self, event_id: int) -> TickMessage | None:
        """The last tick message of an event: the one received here, or else Redis' copy."""
        if received := self._received(event_id):
            return received
        kept = await store.alast_tick_message(event_id)
        return self._received(event_id) or kept  # one may have arrived meanwhile

    def _received(self, event_id: int) -> TickMessage | None:
        topic = self.topics.get(event_id)
        return topic.message if topic else None

    async def receive(self, text: str) -> None:
        if topic := self.topics.get(event_of(text)):
            pages = sum(len(each.subscribers) for each in self.topics.values())
            ticks_a_second = max(1_000 / settings.TICK_MS, 1)
            topic.is_crowded = pages * ticks_a_second > settings.LIVE_EVERYBODY
            topic.receive(TickMessage.from_text(text))

    async def _messages(self) -> AsyncIterator[str]:
        for topic in self.topics.values():
            topic.mark_stale()
        async for text in store.subscribe_to_tick_messages():
            yield text

    async def close(self) -> None:
        topics = list(self.topics.values())
        await super().close()
        for topic in topics:
            await release_places(topic, clock.now())

    async def _send_heartbeats(self) -> None:
        while True:
            await asyncio.sleep(BATCH_SECONDS)
            for topic in list(self.topics.values()):
                try:
                    await send_heartbeats(topic, clock.monotonic(), clock.now())
                except Exception as outage:
                    log.warning("queue %s: heartbeats were not saved: %s", topic.key, outage)
            self.drop_idle_topics(clock.monotonic())


async def send_heartbeats(topic: QueueTopic, moment: float, now: datetime) -> None:
    """Keep the places of those who polled, and of all open pages when that is due."""
    polled = set(topic.polled)
    longest: float = settings.HEARTBEAT_SECONDS
    absence = topic.message.absence_ms / 1000 if topic.message else longest
    due = moment - topic.heartbeat_at >= min(longest, absence / 4) - BATCH_SECONDS
    people = polled | topic.people.keys() if due else polled
    await store.aheartbeat_all(topic.key, people, now)
    topic.polled -= polled  # only now: what could not be saved is saved with the next heartbeat
    await lease_places(topic, moment, now)
    if due:
        topic.heartbeat_at = moment
