"""The websocket of the waiting page."""

from collections.abc import Awaitable
from urllib.parse import parse_qs

from ticketing.core import clock
from ticketing.core.live.sockets import PushSocket
from waiting_queue import metrics, services
from waiting_queue.api.callers import QueueCaller, acaller_with, read_credentials
from waiting_queue.live.hub import QueueHub
from waiting_queue.live.subscribers import QueueSubscriber
from waiting_queue.store import Standing


class QueueSocket(PushSocket):
    """`ws/events/{id}/queue/`; with `?join=1`, connecting joins the line."""

    subscriber: QueueSubscriber | None = None

    async def connect(self) -> None:
        now, origin = clock.now(), self.own_origin
        credentials = read_credentials(
            self.headers, event_id=self.event_id, method="CONNECT", own_origin=origin
        )
        who = await acaller_with(credentials, now=now)
        await self.accept()
        metrics.WEBSOCKETS.inc()
        self.subscriber = subscriber = QueueSubscriber(self, who.person)
        async with services.aexplain_no_line(self.event_id):
            await QueueHub.current().open_subscription(
                self.event_id, subscriber, self._standing(who), now
            )

    def _standing(self, who: QueueCaller) -> Awaitable[Standing]:
        event_id, person, now = self.event_id, who.person, clock.now()
        if parse_qs(self.scope["query_string"]).get(b"join") == [b"1"] and not who.token:
            return services.ajoin(event_id=event_id, person=person, now=now)
        return services.astanding(event_id=event_id, person=person, now=now, token=who.token)

    def unsubscribe(self) -> None:
        if self.subscriber:
            metrics.WEBSOCKETS.dec()
            QueueHub.current().unsubscribe(self.event_id, self.subscriber)
            self.subscriber = None
