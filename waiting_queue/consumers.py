"""The websocket of the waiting page: it tells, and wants to hear nothing."""

from collections.abc import Awaitable
from urllib.parse import parse_qs

from ticketing.core import clock
from ticketing.core.live.send_buffer import SendBuffer
from ticketing.core.live.sockets import Socket
from waiting_queue import metrics, services
from waiting_queue.api.callers import QueueCaller, acaller_with, read_credentials
from waiting_queue.live import hub
from waiting_queue.live.subscribers import Connection
from waiting_queue.store import Standing


class QueueSocket(Socket):
    """`ws/events/{id}/queue/`; with `?join=1`, connecting joins the line."""

    channel_layer_alias = None  # the hub is faster than a channel for everybody
    page: Connection | None = None

    @property
    def event_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["event_id"])

    async def enter(self) -> None:
        now, origin = clock.now(), self.own_origin
        credentials = read_credentials(
            self.headers, event_id=self.event_id, method="CONNECT", own_origin=origin
        )
        who = await acaller_with(credentials, now=now)
        await self.accept()
        metrics.WEBSOCKETS.inc()
        self.page = Connection(who.person, SendBuffer(self.send_text, self.give_up), self.end)
        async with services.aexplain_no_line(self.event_id):
            await hub.watch(self.event_id, self.page, self.asked(who), now)

    def asked(self, who: QueueCaller) -> Awaitable[Standing]:
        event_id, person, now = self.event_id, who.person, clock.now()
        if parse_qs(self.scope["query_string"]).get(b"join") == [b"1"] and not who.token:
            return services.ajoin(event_id=event_id, person=person, now=now)
        return services.astanding(event_id=event_id, person=person, now=now, token=who.token)

    def leave(self) -> None:
        if self.page:
            metrics.WEBSOCKETS.dec()
            hub.leave(self.event_id, self.page)
            self.page = None
