"""The seat map as somebody has it open: the list, and what is pushed meanwhile.

It does as the page does (static/js/seats/live.js). Everybody is pushed the same text, so it is read
once for all of them, and looked at only when somebody chooses.
"""

import asyncio
import json
from collections import deque
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import aiohttp

from ticketing.rehearsal.simulator.users.answers import Answer
from ticketing.rehearsal.simulator.users.door import LOST, hang_up
from ticketing.rehearsal.simulator.users.hall import FREE, HELD, Hall, states_of

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

RECENT = 20.0  # seconds: a list that was built before may lack what was pushed since
OFTEN, SELDOM, SOON = 4.0, 120.0, 3.0  # seconds between two lists
TRIES = 2  # connections lost in a row, before the list is asked for instead
LONGEST = 30.0
WAY = "seats"
Changes = dict[str, list[int]]  # letter -> seats


class SeatMap:
    def __init__(self, fan: "Fan") -> None:
        self.fan, self.path = fan, f"/api/v1/events/{fan.event}/seats/"
        self.letters = bytearray()
        self.is_live = self.is_old = False
        self.vain = 0
        self.tag = self.refusal = ""
        self._recent: deque[tuple[float, Changes]] = deque()
        self._unseen: list[Changes] = []
        self._come_back_after = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: list[asyncio.Task[Any]] = []

    def open(self) -> None:
        if not self._tasks:
            self._tasks.append(asyncio.create_task(self._listen()))

    async def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def is_true(self) -> bool:
        """Whether all that happens is pushed, on top of a list that lacks nothing."""
        return self.is_live and not self.is_old

    # -- what it shows ----------------------------------------------------------------------------

    async def states(self) -> str:
        """A letter for each seat, as far as is known here; nothing if there is no list."""
        attempt = 0
        while not self.letters:
            answer = await self.load()
            if not answer.says_wait:
                break
            await self.fan.pause(answer.wait_seconds(attempt, self.fan.luck.random()))
            attempt += 1
        self._look_at_pushed()
        return self.letters.decode()

    def lost(self, seats: list[int]) -> None:
        """Others were faster. Without pushes nobody knows what else they took."""
        if self.is_live and seats:
            self._paint({HELD: seats})
        else:
            self.letters.clear()

    def _look_at_pushed(self) -> None:
        for changes in self._unseen if self.letters else ():
            self._paint(changes)
        self._unseen.clear()

    def _paint(self, changes: Changes) -> None:
        places = self.fan.crowd.hall.places if self.fan.crowd.hall else {}
        for letter, seats in changes.items():
            for seat in seats:
                if (at := places.get(seat)) is not None:
                    self.letters[at] = ord(letter)

    # -- the list ---------------------------------------------------------------------------------

    async def load(self) -> Answer:
        """One try; what was pushed while it was built counts on top of it."""
        fan = self.fan
        known = {"If-None-Match": self.tag} if self.tag and self.letters else {}
        answer = await fan.call("GET", self.path, headers=fan.own | known)
        states = states_of(answer.body) if answer.is_good else ""
        status = 200 if answer.status == 304 else answer.status
        saw = {"free": states.count(FREE)} if answer.is_good else {}
        fan.record("map", answer.began, answer.ended, status=status, code=answer.code, **saw)
        if answer.is_good:
            self._take(answer, states)
        self.is_old = self.is_old and status != 200
        self._load_in((OFTEN if self.vain >= TRIES else SELDOM) * fan.luck.uniform(0.8, 1.2))
        return answer

    def _take(self, answer: Answer, states: str) -> None:
        if self.fan.crowd.hall is None:
            self.fan.crowd.hall = Hall.read(answer.body)
        self.letters, self.tag = bytearray(states.encode()), answer.headers.get("ETag", "")
        self._unseen = [changes for _at, changes in self._recent]

    def _load_in(self, seconds: float) -> None:
        if self._timer:
            self._timer.cancel()
        if self._tasks:  # else the page is closed
            self._timer = asyncio.get_running_loop().call_later(seconds, self._load_beside)

    def _load_within(self, seconds: float) -> None:
        """In a busy sale there is always news: it must not put the list off."""
        now = asyncio.get_running_loop().time()
        if not self._timer or not now <= self._timer.when() <= now + seconds:
            self._load_in(seconds)

    def _load_beside(self) -> None:
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.create_task(self.load()))

    # -- pushes -----------------------------------------------------------------------------------

    async def _listen(self) -> None:
        while True:
            await self._connect()
            if self.refusal == "not_found" or not self._tasks:
                return
            longest = min(2.0**self.vain, LONGEST)
            told, self._come_back_after = self._come_back_after, 0.0
            await asyncio.sleep(told or self.fan.luck.uniform(longest / 2, longest))

    async def _connect(self) -> None:
        fan, began = self.fan, self.fan.now()
        try:
            path = f"/ws/events/{fan.event}/seats/"
            socket = await fan.door.socket(path, home=fan.home, headers=fan.own)
        except LOST as failure:
            fan.record("connect", began, status=getattr(failure, "status", 0), way=WAY)
            self._lose()
            return
        fan.record("connect", began, way=WAY)
        try:
            await self._hear_all(socket)
        finally:
            now = fan.now()
            fan.record("dropped", now, now, code=self.refusal, way=WAY)
            self.is_live = False
            await hang_up(socket)
        self._lose()

    async def _hear_all(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        with suppress(*LOST):
            while not self._come_back_after:
                message = await socket.receive()
                if message.type is not aiohttp.WSMsgType.TEXT:
                    return
                self.hear(message.data)

    def hear(self, text: str) -> None:
        if text.startswith('{"type":"seats"'):
            self._hear_changes(changes_in(text))
        elif text.startswith('{"type":"refresh"'):
            self.is_old = True
            self._load_within(self.fan.luck.uniform(0, SOON))
        elif text.startswith('{"type":"reconnect"'):
            self._come_back_after = json.loads(text)["after_ms"] / 1000
        elif text.startswith('{"type":"error"'):
            self.refusal = str(json.loads(text).get("code", ""))

    def _hear_changes(self, changes: Changes) -> None:
        now = asyncio.get_running_loop().time()
        if self.vain:  # there was a gap
            self.is_old = True
            self._load_in(0)
        self.is_live, self.vain = True, 0
        while self._recent and self._recent[0][0] < now - RECENT:
            self._recent.popleft()
        if changes:
            self._recent.append((now, changes))
            self._unseen.append(changes)
        if (hall := self.fan.crowd.hall) and hall.floors and not hall.knows(changes):
            self._load_within(self.fan.luck.uniform(SOON, 2 * SOON))

    def _lose(self) -> None:
        self.vain += 1
        if self.vain >= TRIES:
            self._load_in(OFTEN * self.fan.luck.uniform(0.8, 1.2))


@lru_cache(maxsize=512)
def changes_in(text: str) -> Changes:
    """Shared by all who are told the same: nobody may write into it."""
    changes: Changes = json.loads(text)["changes"]
    return changes
