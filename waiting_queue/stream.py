"""The same messages as server-sent events, for networks that break websockets."""

import asyncio

from ticketing.core import clock
from ticketing.core.fast_path.application import route
from ticketing.core.fast_path.bodies import Receive
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import Send, StreamResponse
from waiting_queue import metrics, services
from waiting_queue.api.callers import QueueAuthentication, QueueCaller
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
        hub, subscriber = QueueHub.current(), QueueSubscriber(self, self.who.person)
        reader = asyncio.create_task(self._wait_for_disconnect(receive))
        metrics.STREAMS.inc()
        try:
            await hub.open_subscription(self.event_id, subscriber, self.standing(), clock.now())
            await self._closed.wait()
        finally:
            metrics.STREAMS.dec()
            reader.cancel()
            hub.unsubscribe(self.event_id, subscriber)

    async def send_text(self, text: str) -> None:
        event = f"data: {text}\n\n".encode()
        await self._send({"type": "http.response.body", "body": event, "more_body": True})

    def close_soon(self) -> None:
        self._closed.set()

    abort = close_soon

    async def _wait_for_disconnect(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.close_soon()


async def stream(request: ApiRequest) -> StreamResponse:
    """Refused like any other call; after that, open for as long as the client stays."""
    event_id = request.path_params["event_id"]
    opened = EventStream(event_id, await QueueAuthentication().aauthenticate(request))
    async with services.aexplain_no_line(event_id):
        await opened.standing()
    return opened.run


ROUTES = [route("GET", "events/<int:event_id>/queue/stream", stream)]
