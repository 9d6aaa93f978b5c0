"""The same messages as a stream of server-sent events, for networks that break websockets."""

import asyncio
import re
from dataclasses import dataclass, field

from ticketing.core import clock
from ticketing.core.fast_path.application import Call, Receive, Route, Send, Stream
from ticketing.core.live.send_buffer import SendBuffer
from waiting_queue import metrics, services
from waiting_queue.api_callers import Speaker, aspeaker, credentials
from waiting_queue.live import hub
from waiting_queue.live.subscribers import Connection
from waiting_queue.store import Standing


@dataclass
class Page:
    """An open stream."""

    event_id: int
    who: Speaker
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


async def stream(call: Call) -> tuple[int, Stream]:
    """Refused like any other call; after that, told for as long as the page stays open."""
    event_id = int(call.parts["event_id"])
    shown = credentials(
        call.headers, event_id=event_id, method=call.method, own_origin=call.own_origin
    )
    page = Page(event_id, await aspeaker(shown, now=clock.now()))
    async with services.aexplain_no_line(event_id):
        await page.standing()
    return 200, page.tell


lean_routes: list[Route] = [
    Route(re.compile(r"GET /events/(?P<event_id>[0-9]{1,18})/queue/stream"), stream),
]
