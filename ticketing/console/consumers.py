"""The websockets of the console: they tell, and want to hear nothing."""

import json
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.conf import settings
from django.http.cookie import parse_cookie

from ticketing.console import console_hub, services
from ticketing.console.console_hub import Connection
from ticketing.console.selectors import queue_of
from ticketing.core.live.send_buffer import SendBuffer
from ticketing.core.live.sockets import Socket


class WatchingSocket(Socket):
    """Whoever may watch is first told what there is, then every second what is new."""

    channel_layer_alias = None
    console: Connection | None = None

    @property
    def room(self) -> int:
        raise NotImplementedError

    def require_room(self) -> None:
        """Raises if there is nothing to watch."""

    def so_far(self) -> dict[str, Any]:
        """What is known when the socket opens."""
        raise NotImplementedError

    async def enter(self) -> None:
        await self.require_watcher()
        await database_sync_to_async(self.require_room)()
        await self.accept()
        outbox = SendBuffer(self.send_text, self.give_up)
        self.console = Connection(outbox, self.end, self.require_watcher, self.refuse)
        console_hub.hub().watch(self.room, self.console)  # before looking back: no second between
        outbox.put("so far", json.dumps(await database_sync_to_async(self.so_far)()))

    async def require_watcher(self) -> None:
        cookies = parse_cookie(self.headers.get("cookie", ""))
        session_key = cookies.get(settings.SESSION_COOKIE_NAME, "")
        await database_sync_to_async(services.require_watcher)(session_key)

    def leave(self) -> None:
        if self.console:
            console_hub.hub().leave(self.room, self.console)
            self.console = None


class ConsoleSocket(WatchingSocket):
    """`ws/console/{event}/?since=second`: first what was missed, then every second."""

    @property
    def room(self) -> int:
        return int(self.scope["url_route"]["kwargs"]["event_id"])

    @property
    def since(self) -> int:
        asked = parse_qs(self.scope["query_string"]).get(b"since", [b"0"])[0]
        return int(asked) if asked.isdigit() else 0

    def require_room(self) -> None:
        queue_of(self.room)

    def so_far(self) -> dict[str, Any]:
        return {"type": "history", **services.sample_history(event_id=self.room, since=self.since)}


class OverviewSocket(WatchingSocket):
    """`ws/console/`: every sale that runs."""

    room = console_hub.ALL

    def so_far(self) -> dict[str, Any]:
        return {"type": "sales", "sales": services.running_figures()}
