"""The push engine: each event loop has one hub of each kind, a hub has topics, a topic subscribers.

An app subclasses `Hub` for where its messages come from, `Topic` for what is computed once for all
subscribers of a key, and `Subscriber` for what it knows of one of them.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from typing import Any, Generic, Self, TypeVar, cast
from weakref import WeakKeyDictionary

from django.dispatch import receiver

from ticketing.core import clock
from ticketing.core.live.shutdown import ask_to_reconnect
from ticketing.core.live.subscriber import Subscriber, in_batches
from ticketing.core.server_signals import server_stopping

RETRY_SECONDS = 1.0

log = logging.getLogger(__name__)
Message = TypeVar("Message")
S = TypeVar("S", bound=Subscriber)
T = TypeVar("T", bound="Topic[Any]")


class Topic(Generic[S]):
    """The subscribers of one key, and the task that serves them."""

    def __init__(self, key: int) -> None:
        self.key = key
        self.subscribers: dict[S, None] = {}  # in the order in which they came
        self.used_at = clock.monotonic()
        self.task: asyncio.Task[None] | None = None

    def add(self, subscriber: S) -> None:
        self.subscribers[subscriber] = None

    def remove(self, subscriber: S) -> None:
        self.subscribers.pop(subscriber, None)
        self.used_at = clock.monotonic()

    async def push_all(self, kind: str, text: str) -> None:
        async for batch in in_batches(self.subscribers):
            for subscriber in batch:
                subscriber.push(kind, text)

    def close(self) -> None:
        if self.task is not None:
            self.task.cancel()


class Hub(Generic[T]):
    """All topics of one kind in an event loop, and the background tasks that they share."""

    topic_class: type[T]
    # How long a topic without subscribers is kept.
    idle_seconds = 0.0

    def __init__(self) -> None:
        self.topics: dict[int, T] = {}
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    def current(cls) -> Self:
        """The hub of this kind of the running event loop."""
        return cls.of(asyncio.get_running_loop())

    @classmethod
    def of(cls, loop: asyncio.AbstractEventLoop) -> Self:
        hubs = hubs_of(loop)
        if cls not in hubs:
            hubs[cls] = cls()
        return cast(Self, hubs[cls])

    def background_work(self) -> Iterable[Coroutine[Any, Any, None]]:
        """What runs for all topics, from the first one on."""
        return ()

    def topic(self, key: int) -> T:
        """The topic of this key, made when it is first needed."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(work) for work in self.background_work()]
        if key not in self.topics:
            self.topics[key] = self.topic_class(key)
        return self.topics[key]

    def subscribe(self, key: int, subscriber: Any) -> None:
        self.topic(key).add(subscriber)

    def unsubscribe(self, key: int, subscriber: Any) -> None:
        subscriber.close()
        if topic := self.topics.get(key):
            topic.remove(subscriber)
            self._drop_if_idle(topic, topic.used_at)

    def subscribers(self) -> list[Subscriber]:
        return [subscriber for topic in self.topics.values() for subscriber in topic.subscribers]

    def drop_idle_topics(self, moment: float) -> None:
        for topic in list(self.topics.values()):
            self._drop_if_idle(topic, moment)

    def _drop_if_idle(self, topic: T, moment: float) -> None:
        if not topic.subscribers and moment - topic.used_at >= self.idle_seconds:
            self.topics.pop(topic.key).close()

    async def close(self) -> None:
        """Stop all background tasks; a hub that is used again starts afresh."""
        topics, self.topics = self.topics, {}
        tasks, self._tasks = self._tasks, []
        tasks += [topic.task for topic in topics.values() if topic.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def listen(
    messages: Callable[[], AsyncIterator[Message]], handle: Callable[[Message], Awaitable[None]]
) -> None:
    """Handle every published message, forever; after an outage subscribe again."""
    while True:
        try:
            async for message in messages():
                await handle(message)
        except Exception as outage:
            log.warning("%s: cannot receive, trying again: %s", messages.__qualname__, outage)
        await asyncio.sleep(RETRY_SECONDS)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[type[Hub[Any]], Hub[Any]]] = (
    WeakKeyDictionary()
)


def hubs_of(loop: asyncio.AbstractEventLoop) -> dict[type[Hub[Any]], Hub[Any]]:
    return _hubs.setdefault(loop, {})


@receiver(server_stopping)
async def say_goodbye(**_: Any) -> None:
    """Ask the clients of all hubs of this event loop to reconnect, then close the hubs."""
    hubs = list(hubs_of(asyncio.get_running_loop()).values())
    await ask_to_reconnect([subscriber for hub in hubs for subscriber in hub.subscribers()])
    for hub in hubs:
        await hub.close()
