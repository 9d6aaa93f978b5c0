"""The websocket of the waiting page."""

from collections.abc import Coroutine
from typing import Any

from ticketing.core import clock
from ticketing.core.live.sockets import PushSocket
from waiting_queue import metrics, services
from waiting_queue.api.callers import QueueCaller, acaller_with, read_credentials
from waiting_queue.api.calls import turn_of
from waiting_queue.live.hub import QueueHub
from waiting_queue.live.subscribers import QueueSubscriber
from waiting_queue.store import Standing
from waiting_queue.tokens import PREFIX


class QueueSocket(PushSocket):
    """`ws/events/{id}/queue/`; with `?join=1`, connecting joins the line.

    A page sends its queue token as a subprotocol: browsers can't set the header of a websocket.
    """

    subscriber: QueueSubscriber | None = None

    async def connect(self) -> None:
        now, event_id = clock.now(), self.event_id
        query = self.scope["query_string"].decode("latin-1")
        headers = self.headers
        if token := self.subprotocol:
            headers = headers | {"authorization": f"Bearer {token}"}
        credentials = read_credentials(
            headers,
            event_id=event_id,
            method="CONNECT",
            own_origin=self.own_origin,
            client=(self.scope.get("client") or ("",))[0],
        )
        who = await acaller_with(credentials, now=clock.now())
        await self.accept()
        metrics.WEBSOCKETS.inc()
        self.subscriber = subscriber = QueueSubscriber(self, who.person, who.browser.mark)
        hub = QueueHub.current()
        if who.token and hub.open_known(subscriber, who.token, turn_of(query)):
            return
        async with services.aexplain_no_line(event_id):
            await hub.open_subscription(event_id, subscriber, self._standing(who, query), now)

    @property
    def subprotocol(self) -> str | None:
        """The token, if one was offered."""
        offered = self.scope.get("subprotocols", ())
        return next((each for each in offered if each.startswith(PREFIX)), None)

    def _standing(self, who: QueueCaller, query: str) -> Coroutine[Any, Any, Standing]:
        event_id, person, now = self.event_id, who.person, clock.now()
        if "join=1" in query.split("&") and not who.token:
            who_joins: Any = {"event_id": event_id, "person": person, "now": now, "known": who}
            newcomer = who.newcomer((self.scope.get("client") or ("",))[0])
            return services.ajoin(**who_joins, browser=who.browser.known_mark, newcomer=newcomer)
        return services.astanding(event_id=event_id, person=person, now=now, token=who.token)

    def unsubscribe(self) -> None:
        if self.subscriber:
            metrics.WEBSOCKETS.dec()
            QueueHub.current().unsubscribe(self.event_id, self.subscriber)
            self.subscriber = None
