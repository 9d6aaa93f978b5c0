"""How a waiting user gets the standing: by websocket, event stream or polling."""

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from ticketing.rehearsal.simulator.users.http_client import LOST
from ticketing.rehearsal.simulator.users.responses import (
    STANDING_WITH_DEADLINE,
    brings_token,
    is_standing,
    peek_ahead,
    peek_standing,
    standing_fields,
)
from ticketing.rehearsal.simulator.users.user_socket import UserSocket

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

CHANNELS = ("socket", "stream", "poll")
SILENCE = 30.0  # seconds without a frame after which a connection counts as lost
MAX_FAILURES = 2  # in a row, before the next channel is used
POLLING_SECONDS = 60.0  # until the better channels are tried again


class QueueUpdates:
    """The connections of one user to the queue."""

    def __init__(self, fan: "Fan") -> None:
        self.fan = fan
        self.failures = 0
        self.reconnect_after = 0.0
        self.refusal: dict[str, Any] = {}
        self._last_ahead: dict[int, int] = {}
        self._last_seen: dict[int, tuple[str, str]] = {}
        self._tabs: list[asyncio.Task[None]] = []

    @property
    def channel(self) -> str:
        worse = CHANNELS.index(self.fan.plan.channel) + self.failures // MAX_FAILURES
        return CHANNELS[min(worse, len(CHANNELS) - 1)]

    async def listen(self, until: float, *, abruptly: bool = False) -> None:
        """Listen until the user's turn comes, the time is up, or the connection ends."""
        if asyncio.get_running_loop().time() < self.fan.socket_at:
            await self._by_polling(min(until, self.fan.socket_at))
            return
        match self.channel:
            case "socket":
                await self._by_socket(until, 0, abruptly)
            case "stream":
                await self._by_stream(until)
            case _:
                await self._by_polling(until)

    def reconnect_delay(self) -> float:
        """Seconds as the site asked for; else 1 to 2 after a failure, doubling up to 30."""
        asked, self.reconnect_after = self.reconnect_after, 0.0
        if asked:
            return asked
        if not self.failures:
            return 0.0
        longest = min(2.0 ** min(self.failures, 5), 30.0)
        return self.fan.rng.uniform(longest / 2, longest)

    # -- further tabs of the same user ------------------------------------------------------------

    def open_tabs(self, count: int) -> None:
        for tab in range(1, count):
            self._tabs.append(asyncio.create_task(self._tab(tab)))

    async def close_tabs(self) -> None:
        for task in self._tabs:
            task.cancel()
        await asyncio.gather(*self._tabs, return_exceptions=True)
        self._tabs.clear()

    async def _tab(self, tab: int) -> None:
        while self.fan.is_waiting:
            await asyncio.sleep(self.fan.rng.uniform(0.5, 3))
            await self._by_socket(asyncio.get_running_loop().time() + 3600, tab)

    # -- channels ---------------------------------------------------------------------------------

    async def _by_socket(self, until: float, tab: int, abruptly: bool = False) -> None:
        fan, began = self.fan, self.fan.now()
        try:
            socket = await fan.http.socket(
                f"/ws/events/{fan.event}/queue/{fan.turn_query}",
                ip_index=fan.ip_index,
                headers=fan.headers,
                protocols=[fan.token] if fan.token else [],
            )
        except LOST as failure:
            self._connect_failed(began, "socket", tab, getattr(failure, "status", 0))
            return
        fan.record("connect", began, channel="socket", tab=tab)
        try:
            await self._receive_all(socket, until, tab)
        finally:
            self._disconnected("socket", tab, is_lost=socket.ended.done())
            await socket.close(abruptly=abruptly)

    async def _receive_all(self, socket: UserSocket, until: float, tab: int) -> None:
        now = asyncio.get_running_loop().time
        socket.listen(partial(self.receive, tab=tab))
        while not socket.ended.done():
            left = min(until, socket.heard_at + SILENCE) - now()
            if left <= 0:
                return
            await asyncio.wait([socket.ended], timeout=left)
        socket.ended.result()

    async def _by_stream(self, until: float) -> None:
        fan, began = self.fan, self.fan.now()
        path, is_open = f"/events/{fan.event}/queue/stream", False
        try:
            async with asyncio.timeout_at(until):
                async with fan.http.stream(
                    path, ip_index=fan.ip_index, headers=fan.headers
                ) as response:
                    if response.status != 200:
                        self._connect_failed(began, "stream", 0, response.status)
                        return
                    is_open = True
                    fan.record("connect", began, channel="stream", tab=0)
                    async for updates in response.content:
                        if updates.startswith(b"data: "):
                            self.receive(updates[6:].decode().strip(), 0)
                        if not fan.is_waiting:
                            return
        except (TimeoutError, *LOST):
            if not is_open and asyncio.get_running_loop().time() < until:
                self._connect_failed(began, "stream", 0, 0)
        finally:
            if is_open:
                is_lost = asyncio.get_running_loop().time() < until
                self._disconnected("stream", 0, is_lost=is_lost)

    async def _by_polling(self, until: float) -> None:
        loop, fan = asyncio.get_running_loop(), self.fan
        until = min(until, loop.time() + POLLING_SECONDS)
        while fan.is_waiting and loop.time() < until:
            response = await fan.poll()
            wait = response.json().get("next_poll_ms", 3000) / 1000 if response.is_ok else 2.0
            await fan.pause(max(0.2, min(wait, until - loop.time())))
        self.failures = 0

    # -- frames -----------------------------------------------------------------------------------

    def receive(self, text: str, tab: int) -> bool:
        """Take a frame; whether the user goes on waiting."""
        if is_standing(text):
            self._receive_standing(text, tab)
        elif text.startswith('{"type":"reconnect"'):
            self.reconnect_after = json.loads(text)["after_ms"] / 1000
        elif text.startswith('{"type":"outlook"'):
            self.fan.apply_outlook(json.loads(text))
        elif text.startswith('{"type":"error"'):
            self.refusal = json.loads(text)
        return self.fan.is_waiting

    def _receive_standing(self, text: str, tab: int) -> None:
        fan, seen = self.fan, peek_standing(text)
        self.failures = 0
        if seen[0] == "NONE" and fan.token:
            fan.state = "NONE"  # which the page does not show before it has asked by the token
            return
        ahead, before = peek_ahead(text), self._last_ahead.get(tab, 0)
        self._last_ahead[tab] = ahead
        is_new = self._last_seen.get(tab) != seen or ahead > before
        if not (is_new or fan.is_sampled or brings_token(text)):
            return
        body = json.loads(text)
        if is_new or fan.is_sampled:
            now = fan.now()
            fields = standing_fields(body, STANDING_WITH_DEADLINE)
            fan.record("push", now, now, tab=tab, **fields)
        self._last_seen[tab] = seen
        fan.apply_standing(body)

    def _connect_failed(self, began: float, channel: str, tab: int, status: int) -> None:
        self.failures += tab == 0
        self.fan.record("connect", began, status=status, channel=channel, tab=tab)

    def _disconnected(self, channel: str, tab: int, *, is_lost: bool) -> None:
        """Record a disconnect, with the reason if the site gave one.

        Like the page, a user waits before connecting again unless the site said when to.
        """
        refusal, self.refusal = self.refusal, {}
        if refusal or (is_lost and self.fan.is_waiting and not self.reconnect_after):
            self.failures += tab == 0
        now = self.fan.now()
        self.fan.record(
            "disconnect", now, now, code=refusal.get("code", ""), channel=channel, tab=tab
        )
