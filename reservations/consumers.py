"""The websocket of the seat map."""

from django.conf import settings
from django.http.cookie import parse_cookie

from reservations import metrics
from reservations.live.hub import SeatHub, SeatSubscriber, require_public_event
from ticketing.accounts.selectors import acaller
from ticketing.core.browsers import browser_of
from ticketing.core.fast_path.responses import language_of
from ticketing.core.live.sockets import PushSocket


class SeatsSocket(PushSocket):
    """`ws/events/{id}/seats/`: public; with a login, also the person's own hold requests."""

    subscriber: SeatSubscriber | None = None

    async def connect(self) -> None:
        await require_public_event(self.event_id)
        headers = self.headers
        cookies = parse_cookie(headers.get("cookie", ""))
        caller = await acaller(cookies.get(settings.SESSION_COOKIE_NAME))
        await self.accept()
        metrics.CONNECTIONS.inc()
        fan_id, language = caller.id if caller else None, language_of(headers)
        browser = browser_of(headers).mark
        self.subscriber = SeatSubscriber(self, fan_id=fan_id, language=language, browser=browser)
        SeatHub.current().subscribe(self.event_id, self.subscriber)

    def unsubscribe(self) -> None:
        if self.subscriber:
            metrics.CONNECTIONS.dec()
            SeatHub.current().unsubscribe(self.event_id, self.subscriber)
            self.subscriber = None
