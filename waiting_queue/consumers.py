"""The websocket of the waiting page."""

from collections.abc import Awaitable
from urllib.parse import parse_qs

from ticketing.core import clock
from ticketing.core.live.sockets import PushSocket
from waiting_queue import metrics, services
from waiting_queue.api_callers import Speaker, aspeaker, credentials
from waiting_queue.live.hub import QueueHub
from waiting_queue.live.subscribers import QueueSubscriber
from waiting_queue.reasons import aexplained
from waiting_queue.store import Standing


class QueueSocket(PushSocket):
    """`ws/events/{id}/queue/`; with `?join=1`, connecting joins the line."""

    subscriber: QueueSubscriber | None = None

    async def connect(self) -> None:
        now, origin = clock.now(), self.own_origin
        presented = credentials(
            self.headers, event_id=self.event_id, method="CONNECT", own_origin=origin
        )
        who = await aspeaker(presented, now=now)
        await self.accept()
        metrics.WEBSOCKETS.inc()
        self.subscriber = subscriber = QueueSubscriber(self, who.person)
        async with aexplained(self.event_id):
            await QueueHub.current().open_subscription(
                self.event_id, subscriber, self._standing(who), now
            )

    def _standing(self, who: Speaker) -> Awaitable[Standing]:
        event_id, person, now = self.event_id, who.person, clock.now()
        if parse_qs(self.scope["query_string"]).get(b"join") == [b"1"] and not who.held:
            return services.ajoin(event_id=event_id, person=person, now=now)
        return services.astanding(event_id=event_id, person=person, now=now, held=who.held)

    def unsubscribe(self) -> None:
        if self.subscriber:
            metrics.WEBSOCKETS.dec()
            QueueHub.current().unsubscribe(self.event_id, self.subscriber)
            self.subscriber = None
