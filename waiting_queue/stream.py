"""The same messages as a stream of server-sent events, for networks that break websockets."""

import asyncio
from dataclasses import dataclass, field

from ticketing.core import clock
from ticketing.core.fast_path.application import route
from ticketing.core.fast_path.bodies import Receive
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import Send, StreamResponse
from ticketing.core.live.send_buffer import SendBuffer
from waiting_queue import metrics, services
from waiting_queue.api.callers import QueueAuthentication, QueueCaller
from waiting_queue.live import hub
from waiting_queue.live.subscribers import Connection
from waiting_queue.store import Standing


@dataclass
class Page:
    """An open stream."""

    event_id: int
    who: QueueCaller
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def standing(self) -> Standing:
        person, token = self.who.person, self.who.token
        return await services.astanding(
            event_id=self.event_id, person=person, now=clock.now(), token=token
        )

    async def tell(self, receive: Receive, send: Send) -> None:
        async def send_text(text: str) -> None:
            event = f"data: {text}\n\n".encode()
            await send({"type": "http.response.body", "body": event, "more_body": True})

        page = Connection(self.who.person, SendBuffer(send_text, self.over.set), self.over.set)
        reader = asyncio.create_task(self.until_gone(receive))
        metrics.STREAMS.inc()
        try:
            await hub.watch(self.event_id, page, self.standing(), clock.now())
            await self.over.wait()
        finally:
            metrics.STREAMS.dec()
            reader.cancel()
            hub.leave(self.event_id, page)

    async def until_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.over.set()


async def stream(request: ApiRequest) -> StreamResponse:
    """Refused like any other call; after that, told for as long as the page stays open."""
    event_id = request.path_params["event_id"]
    page = Page(event_id, await QueueAuthentication().aauthenticate(request))
    async with services.aexplain_no_line(event_id):
        await page.standing()
    return page.tell


ROUTES = [route("GET", "events/<int:event_id>/queue/stream", stream)]
