"""The websocket of the console: it tells, and wants to hear nothing."""

import json
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.conf import settings
from django.http.cookie import parse_cookie

from ticketing.console import live, services
from ticketing.console.access import queue_of, watcher
from ticketing.console.live import Connection
from ticketing.core.outbox import Outbox
from ticketing.core.sockets import Socket


class ConsoleSocket(Socket):
    """`ws/console/{event}/?since=second`: first what was missed, then every second."""

    channel_layer_alias = None
    console: Connection | None = None

    @property
    def event_id(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["event_id"])

    @property
    def since(self) -> int:
        asked = parse_qs(self.scope["query_string"]).get(b"since", [b"0"])[0]
        return int(asked) if asked.isdigit() else 0

    async def enter(self) -> None:
        await self.require_watcher()
        await database_sync_to_async(queue_of)(self.event_id)
        await self.accept()
        outbox = Outbox(self.send_text, self.give_up)
        self.console = Connection(outbox, self.end, self.require_watcher, self.refuse)
        live.hub().watch(self.event_id, self.console)  # before looking back: no second between
        missed = await database_sync_to_async(services.history_of)(
            event_id=self.event_id, since=self.since
        )
        outbox.put("history", json.dumps({"type": "history", **missed}))

    async def require_watcher(self) -> None:
        cookies = parse_cookie(self.headers.get("cookie", ""))
        session_key = cookies.get(settings.SESSION_COOKIE_NAME, "")
        await database_sync_to_async(watcher)(session_key)

    def leave(self) -> None:
        if self.console:
            live.hub().leave(self.event_id, self.console)
            self.console = None
