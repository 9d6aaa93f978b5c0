"""The same messages as server-sent events, for networks that break websockets."""

import asyncio
import re

from ticketing.core import clock
from ticketing.core.fast_path.application import Call, Receive, Route, Send, Stream
from waiting_queue import metrics, services
from waiting_queue.api_callers import Speaker, aspeaker, credentials
from waiting_queue.live.hub import QueueHub
from waiting_queue.live.subscribers import QueueSubscriber
from waiting_queue.reasons import aexplained
from waiting_queue.store import Standing


class EventStream:
    """An open stream of one person; the connection that its subscriber sends to."""

    _send: Send

    def __init__(self, event_id: int, who: Speaker) -> None:
        self.event_id, self.who = event_id, who
        self._closed = asyncio.Event()

    async def standing(self) -> Standing:
        person, held = self.who.person, self.who.held
        return await services.astanding(
            event_id=self.event_id, person=person, now=clock.now(), held=held
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


async def stream(call: Call) -> tuple[int, Stream]:
    """Refused like any other call; after that, open for as long as the client stays."""
    event_id = int(call.parts["event_id"])
    presented = credentials(
        call.headers, event_id=event_id, method=call.method, own_origin=call.own_origin
    )
    opened = EventStream(event_id, await aspeaker(presented, now=clock.now()))
    async with aexplained(event_id):
        await opened.standing()
    return 200, opened.run


lean_routes: list[Route] = [
    Route(re.compile(r"GET /events/(?P<event_id>[0-9]{1,18})/queue/stream"), stream),
]
