"""The same messages as server-sent events, for networks that break websockets."""

import asyncio
from dataclasses import replace
from typing import Any

from ticketing.core import clock
from ticketing.core.error_responses import frame
from ticketing.core.fast_path.application import route
from ticketing.core.fast_path.bodies import Receive
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import Send, StreamResponse
from waiting_queue import metrics, services
from waiting_queue.api.callers import QueueAuthentication, QueueCaller
from waiting_queue.errors import TooManyPages
from waiting_queue.live.frames import dumps
from waiting_queue.live.hub import QueueHub
from waiting_queue.live.subscribers import QueueSubscriber
from waiting_queue.store import Standing


class EventStream:
    """An open stream of one person; the connection that its subscriber sends to."""

    _send: Send

    def __init__(self, event_id: int, who: QueueCaller) -> None:
        self.event_id, self.who = event_id, who
        self._closed = asyncio.Event()

    async def standing(self) -> Standing:
        person, token = self.who.person, self.who.token
        return await services.astanding(
            event_id=self.event_id, person=person, now=clock.now(), token=token
        )

    async def run(self, receive: Receive, send: Send) -> None:
        """Push until the client or the server closes the stream."""
        self._send = send
        hub = QueueHub.current()
        subscriber = QueueSubscriber(self, self.who.person, self.who.browser.mark)
        reader = asyncio.create_task(self._wait_for_disconnect(receive))
        metrics.STREAMS.inc()
        try:
            await hub.open_subscription(self.event_id, subscriber, self.standing(), clock.now())
            await self._closed.wait()
        except TooManyPages as refusal:  # others were opened at the same moment
            await self.send_text(dumps(frame(refusal)))
        finally:
            metrics.STREAMS.dec()
            reader.cancel()
            hub.unsubscribe(self.event_id, subscriber)

    async def send_text(self, text: str, *more: str) -> None:
        event = "".join(f"data: {each}\n\n" for each in (text, *more)).encode()
        await self._send({"type": "http.response.body", "body": event, "more_body": True})

    def close_soon(self) -> None:
        self._closed.set()

    abort = close_soon

    async def _wait_for_disconnect(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.close_soon()


async def stream(request: ApiRequest) -> StreamResponse:
    """Refused like any other call; after that, open for as long as the client stays.

    With `?join=1` it joins the line first, as a websocket does.
    """
    event_id, joins = request.path_params["event_id"], "join=1" in request.query.split("&")
    # A browser that another site sent here must not join with its cookie.
    asked = replace(request, method="CONNECT") if joins else request
    who = await QueueAuthentication().aauthenticate(asked)
    QueueHub.current().topic(event_id).require_free_place(who.person)
    opened = EventStream(event_id, who)
    async with services.aexplain_no_line(event_id):
        if joins and not who.token:
            who_joins: dict[str, Any] = {"event_id": event_id, "person": who.person}
            newcomer = who.newcomer(request.client)
            await services.ajoin(**who_joins, now=request.now, known=who, newcomer=newcomer)
        else:
            await opened.standing()
    return opened.run


ROUTES = [route("GET", "events/<int:event_id>/queue/stream", stream)]
