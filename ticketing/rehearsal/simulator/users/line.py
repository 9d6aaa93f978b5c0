"""How somebody who waits hears from the line: a socket, a stream, or asking now and then."""

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import aiohttp

from ticketing.rehearsal.simulator.users.answers import (
    DATED,
    brings_token,
    glimpse,
    is_standing,
    place_in,
)
from ticketing.rehearsal.simulator.users.door import LOST, hang_up

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

WAYS = ("socket", "stream", "poll")
SILENCE = 30.0  # seconds after which a connection counts as lost
FAILURES = 2  # in a row, before the next best way is taken
BETTER = 60.0  # seconds of polling until the better ways are tried again


class Line:
    """One person's ears."""

    def __init__(self, fan: "Fan") -> None:
        self.fan = fan
        self.failures = 0
        self.come_back_after = 0.0
        self.refusal: dict[str, Any] = {}
        self._told: dict[int, tuple[str, str]] = {}
        self._tabs: list[asyncio.Task[None]] = []

    @property
    def way(self) -> str:
        worse = WAYS.index(self.fan.plan.way) + self.failures // FAILURES
        return WAYS[min(worse, len(WAYS) - 1)]

    async def listen(self, until: float, *, abruptly: bool = False) -> None:
        """Until something must be done, the time is up, or the connection ends."""
        match self.way:
            case "socket":
                await self._by_socket(until, 0, abruptly)
            case "stream":
                await self._by_stream(until)
            case _:
                await self._by_asking(until)

    def wait_before_trying_again(self) -> float:
        """As told, or 1 to 2 s after a failure, doubling to 30."""
        told, self.come_back_after = self.come_back_after, 0.0
        if told:
            return told
        if not self.failures:
            return 0.0
        longest = min(2.0 ** min(self.failures, 5), 30.0)
        return self.fan.luck.uniform(longest / 2, longest)

    # -- more pages of the same person ------------------------------------------------------------

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
            await asyncio.sleep(self.fan.luck.uniform(0.5, 3))
            await self._by_socket(asyncio.get_running_loop().time() + 3600, tab)

    # -- the ways ---------------------------------------------------------------------------------

    async def _by_socket(self, until: float, tab: int, abruptly: bool = False) -> None:
        fan, began = self.fan, self.fan.now()
        try:
            socket = await fan.door.socket(
                f"/ws/events/{fan.event}/queue/", home=fan.home, headers=fan.own
            )
        except LOST as failure:
            self._could_not_connect(began, "socket", tab, getattr(failure, "status", 0))
            return
        fan.record("connect", began, way="socket", tab=tab)
        try:
            await self._hear_all(socket, until, tab)
        finally:
            self._dropped("socket", tab)
            await hang_up(socket, abruptly=abruptly)

    async def _hear_all(
        self, socket: aiohttp.ClientWebSocketResponse, until: float, tab: int
    ) -> None:
        loop, text = asyncio.get_running_loop(), aiohttp.WSMsgType.TEXT
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until) as limit:
                while self.fan.is_waiting:
                    limit.reschedule(min(until, loop.time() + SILENCE))
                    message = await socket.receive()
                    if message.type is not text:
                        return
                    self.hear(message.data, tab)

    async def _by_stream(self, until: float) -> None:
        fan, began = self.fan, self.fan.now()
        path, is_open = f"/events/{fan.event}/queue/stream", False
        try:
            async with asyncio.timeout_at(until):
                async with fan.door.stream(path, home=fan.home, headers=fan.own) as response:
                    if response.status != 200:
                        self._could_not_connect(began, "stream", 0, response.status)
                        return
                    is_open = True
                    fan.record("connect", began, way="stream", tab=0)
                    async for line in response.content:
                        if line.startswith(b"data: "):
                            self.hear(line[6:].decode().strip(), 0)
                        if not fan.is_waiting:
                            return
        except (TimeoutError, *LOST):
            if not is_open and asyncio.get_running_loop().time() < until:
                self._could_not_connect(began, "stream", 0, 0)
        finally:
            if is_open:
                self._dropped("stream", 0)

    async def _by_asking(self, until: float) -> None:
        loop, fan = asyncio.get_running_loop(), self.fan
        until = min(until, loop.time() + BETTER)
        while fan.is_waiting and loop.time() < until:
            answer = await fan.look()
            wait = answer.json().get("next_poll_ms", 3000) / 1000 if answer.is_good else 2.0
            await fan.pause(max(0.2, min(wait, until - loop.time())))
        self.failures = 0

    # -- what is heard ----------------------------------------------------------------------------

    def hear(self, text: str, tab: int) -> None:
        if is_standing(text):
            self._hear_standing(text, tab)
        elif text.startswith('{"type":"reconnect"'):
            self.come_back_after = json.loads(text)["after_ms"] / 1000
        elif text.startswith('{"type":"error"'):
            self.refusal = json.loads(text)

    def _hear_standing(self, text: str, tab: int) -> None:
        fan, seen = self.fan, glimpse(text)
        self.failures = 0
        is_news = self._told.get(tab) != seen
        if not (is_news or fan.is_sampled or brings_token(text)):
            return
        body = json.loads(text)
        if is_news or fan.is_sampled:
            now = fan.now()
            fan.record("told", now, now, **place_in(body, DATED))
        self._told[tab] = seen
        fan.learn(body)

    def _could_not_connect(self, began: float, way: str, tab: int, status: int) -> None:
        self.failures += tab == 0
        self.fan.record("connect", began, status=status, way=way, tab=tab)

    def _dropped(self, way: str, tab: int) -> None:
        """With the reason, if the site gave one."""
        refusal, self.refusal = self.refusal, {}
        if refusal:
            self.failures += tab == 0
        now = self.fan.now()
        self.fan.record("dropped", now, now, code=refusal.get("code", ""), way=way, tab=tab)
