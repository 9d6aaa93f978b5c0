"""The websocket of the seat map: it tells, and wants to hear nothing."""

from django.conf import settings
from django.http.cookie import parse_cookie

from reservations import metrics, seat_hub
from reservations.seat_hub import Connection
from ticketing.accounts.selectors import acaller
from ticketing.core import clock
from ticketing.core.fast_path.responses import language_of
from ticketing.core.live.send_buffer import SendBuffer
from ticketing.core.live.sockets import Socket


class SeatsSocket(Socket):
    """`ws/events/{id}/seats/`: public; who is logged in also hears of their own requests."""

    channel_layer_alias = None
    map: Connection | None = None

    @property
    def event_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["event_id"])

    async def enter(self) -> None:
        await seat_hub.require_event(self.event_id)
        headers = self.headers
        cookies = parse_cookie(headers.get("cookie", ""))
        caller = await acaller(cookies.get(settings.SESSION_COOKIE_NAME))
        await self.accept()
        metrics.CONNECTIONS.inc()
        self.map = Connection(
            SendBuffer(self.send_text, self.give_up),
            self.end,
            fan_id=caller.id if caller else None,
            language=language_of(headers),
        )
        seat_hub.hub().watch(self.event_id, self.map, clock.now())

    def leave(self) -> None:
        if self.map:
            metrics.CONNECTIONS.dec()
            seat_hub.hub().leave(self.event_id, self.map)
            self.map = None
