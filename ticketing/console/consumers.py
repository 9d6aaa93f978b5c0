"""The websockets of the console."""

import json
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.conf import settings
from django.http.cookie import parse_cookie

from ticketing.console import live, services
from ticketing.console.live import ConsoleHub, ConsoleSubscriber
from ticketing.console.selectors import queue_of
from ticketing.core.live.sockets import PushSocket


class SampleSocket(PushSocket):
    """Pushes first what is known when the socket opens, then every second's sample."""

    subscriber: ConsoleSubscriber | None = None

    @property
    def topic(self) -> int:
        raise NotImplementedError

    def require_topic(self) -> None:
        """Raises if there is nothing to watch."""

    def first_frame(self) -> dict[str, Any]:
        """What is known when the socket opens."""
        raise NotImplementedError

    async def connect(self) -> None:
        await self.check_permission()
        await database_sync_to_async(self.require_topic)()
        await self.accept()
        self.subscriber = subscriber = ConsoleSubscriber(self)
        ConsoleHub.current().subscribe(self.topic, subscriber)  # first: no second is missed
        subscriber.push("first", json.dumps(await database_sync_to_async(self.first_frame)()))

    async def check_permission(self) -> None:
        cookies = parse_cookie(self.headers.get("cookie", ""))
        session_key = cookies.get(settings.SESSION_COOKIE_NAME, "")
        await database_sync_to_async(services.require_watcher)(session_key)

    def unsubscribe(self) -> None:
        if self.subscriber:
            ConsoleHub.current().unsubscribe(self.topic, self.subscriber)
            self.subscriber = None


class ConsoleSocket(SampleSocket):
    """`ws/console/{event}/?since=second`: one sale; first the samples since that second."""

    @property
    def topic(self) -> int:
        return self.event_id

    @property
    def since(self) -> int:
        since = parse_qs(self.scope["query_string"].decode("latin-1")).get("since", ["0"])[0]
        return int(since) if since.isdecimal() and len(since) < 19 else 0

    def require_topic(self) -> None:
        queue_of(self.event_id)

    def first_frame(self) -> dict[str, Any]:
        return {
            "type": "history",
            **services.sample_history(event_id=self.event_id, since=self.since),
        }


class OverviewSocket(SampleSocket):
    """`ws/console/`: every sale that runs."""

    topic = live.ALL

    def first_frame(self) -> dict[str, Any]:
        return {"type": "sales", "sales": services.running_figures()}
