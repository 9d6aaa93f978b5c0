"""The hub of the consoles open in this process: one subscription, however many there are."""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine, Iterable
from typing import Any, Protocol

from ticketing.console import store
from ticketing.core.errors import DomainError
from ticketing.core.live.hub import Hub, Topic, listen
from ticketing.core.live.send_buffer import Connection
from ticketing.core.live.subscriber import Subscriber

log = logging.getLogger(__name__)
# An operator who loses the permission to watch sees at most so much more.
RECHECK_SECONDS = 15.0
# The topic of those who watch every sale; no event has this number.
ALL = 0


class ConsoleConnection(Connection, Protocol):
    def check_permission(self) -> Awaitable[None]:
        """Raises if its owner may not watch (any more)."""

    def refuse(self, error: DomainError) -> Awaitable[None]: ...


class ConsoleSubscriber(Subscriber):
    """One open console."""

    __slots__ = ("check_permission", "refuse")

    def __init__(self, connection: ConsoleConnection) -> None:
        super().__init__(connection)
        self.check_permission, self.refuse = connection.check_permission, connection.refuse


class ConsoleTopic(Topic[ConsoleSubscriber]):
    """The consoles of one sale."""


class ConsoleHub(Hub[ConsoleTopic]):
    topic_class = ConsoleTopic

    def background_work(self) -> Iterable[Coroutine[Any, Any, None]]:
        return listen(store.published_samples, self.receive), self._recheck_permissions()

    async def receive(self, sample: tuple[int, str]) -> None:
        """Push the same text to every console; one that missed a sample fetches it afterwards."""
        event_id, figures = sample
        text = f'{{"type":"sample","event":{event_id},"figures":{figures}}}'
        for key in (event_id, ALL):
            if topic := self.topics.get(key):
                await topic.push_all(f"sample {event_id}", text)

    async def _recheck_permissions(self) -> None:
        while True:
            await asyncio.sleep(RECHECK_SECONDS)
            for topic in list(self.topics.values()):
                for subscriber in list(topic.subscribers):
                    await self._recheck(subscriber)

    async def _recheck(self, subscriber: ConsoleSubscriber) -> None:
        """Never raises: whatever happens to one console, the others are checked."""
        try:
            try:
                await subscriber.check_permission()
            except DomainError as refusal:
                await subscriber.refuse(refusal)
        except Exception as failure:  # an outage, or a socket that is closed already
            log.warning("a console's permission could not be checked: %s", failure)
