"""The live seat map of a user: the seat list, and the changes pushed since.

It behaves like the page (static/js/seats/live.js). All users are pushed the same text, so it is
parsed once for all, and applied only when a user chooses.
"""

import asyncio
import json
from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ticketing.rehearsal.simulator.users.http_client import LOST
from ticketing.rehearsal.simulator.users.responses import Response
from ticketing.rehearsal.simulator.users.seat_layout import FREE, HELD, SeatLayout, states_of

if TYPE_CHECKING:
    from ticketing.rehearsal.simulator.users.fan import Fan

RECENT = 20.0  # seconds: a list may be so old that it lacks changes pushed since
POLL_SECONDS, REFRESH_SECONDS, SOON_SECONDS = 4.0, 120.0, 3.0  # until the next list
MAX_FAILURES = 2  # failed connections in a row, before the list is polled instead
MAX_DELAY = 30.0
CHANNEL = "seats"
Changes = dict[str, list[int]]  # letter -> seats


class SeatMap:
    def __init__(self, fan: "Fan") -> None:
        self.fan, self.path = fan, f"/api/v1/events/{fan.event}/seats/"
        self.letters = bytearray()
        self.is_live = self.is_stale = False
        self.failed_connects = 0
        self.tag = self.refusal = ""
        self._recent: deque[tuple[float, Changes]] = deque()
        self._unapplied: list[Changes] = []
        self._reconnect_after = self._listed_at = 0.0
        self._is_first = False  # the next frame is the first one of its socket
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
    def is_current(self) -> bool:
        """Whether changes are pushed, on top of a list that lacks none."""
        return self.is_live and not self.is_stale

    # -- states -----------------------------------------------------------------------------------

    async def states(self) -> str:
        """A letter for each seat, empty if the list cannot be loaded."""
        attempt = 0
        while not self.letters:
            response = await self.load()
            if not response.asks_to_retry:
                break
            await self.fan.pause(response.retry_delay(attempt, self.fan.rng.random()))
            attempt += 1
        for changes in self._unapplied if self.letters else ():
            self._apply(changes)
        self._unapplied.clear()
        return self.letters.decode()

    def mark_taken(self, seats: list[int]) -> None:
        """Mark seats that others took; without pushes the list is loaded again."""
        if self.is_live and seats:
            self._apply({HELD: seats})
        else:
            self.letters.clear()

    def _apply(self, changes: Changes) -> None:
        index_of = self.fan.pool.layout.index_of if self.fan.pool.layout else {}
        for letter, seats in changes.items():
            for seat in seats:
                if (at := index_of.get(seat)) is not None:
                    self.letters[at] = ord(letter)

    # -- the list ---------------------------------------------------------------------------------

    async def load(self) -> Response:
        """Load the list once; recently pushed changes are applied on top of it."""
        fan, began = self.fan, asyncio.get_running_loop().time()
        known = {"If-None-Match": self.tag} if self.tag and self.letters else {}
        response = await fan.call("GET", self.path, headers=fan.headers | known)
        states = states_of(response.body) if response.is_ok else ""
        status = 200 if response.status == 304 else response.status
        data = {"free": states.count(FREE)} if response.is_ok else {}
        fan.record("map", response.began, response.ended, status=status, code=response.code, **data)
        if response.is_ok:
            self._take(response, states)
        if status == 200:
            self._listed_at, self.is_stale = began, False
        self._load_in(
            (POLL_SECONDS if self.failed_connects >= MAX_FAILURES else REFRESH_SECONDS)
            * fan.rng.uniform(0.8, 1.2)
        )
        return response

    def _take(self, response: Response, states: str) -> None:
        if self.fan.pool.layout is None:
            self.fan.pool.layout = SeatLayout.read(response.body)
        self.letters, self.tag = bytearray(states.encode()), response.headers.get("ETag", "")
        self._unapplied = [changes for _at, changes in self._recent]

    def _load_in(self, seconds: float) -> None:
        if self._timer:
            self._timer.cancel()
        if self._tasks:  # else the map is closed
            self._timer = asyncio.get_running_loop().call_later(seconds, self._load_in_background)

    def _load_within(self, seconds: float) -> None:
        """Load at the latest then; changes that keep coming must not postpone it."""
        now = asyncio.get_running_loop().time()
        if not self._timer or not now <= self._timer.when() <= now + seconds:
            self._load_in(seconds)

    def _load_in_background(self) -> None:
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.create_task(self.load()))

    # -- pushes -----------------------------------------------------------------------------------

    async def _listen(self) -> None:
        while True:
            await self._connect()
            if self.refusal == "not_found" or not self._tasks:
                return
            longest = min(2.0**self.failed_connects, MAX_DELAY)
            asked, self._reconnect_after = self._reconnect_after, 0.0
            await asyncio.sleep(asked or self.fan.rng.uniform(longest / 2, longest))

    async def _connect(self) -> None:
        fan, began = self.fan, self.fan.now()
        try:
            path = f"/ws/events/{fan.event}/seats/"
            socket = await fan.http.socket(path, ip_index=fan.ip_index, headers=fan.headers)
        except LOST as failure:
            fan.record("connect", began, status=getattr(failure, "status", 0), channel=CHANNEL)
            self._count_failure()
            return
        fan.record("connect", began, channel=CHANNEL)
        self._is_first = True
        try:
            socket.listen(self.receive)
            await asyncio.shield(socket.ended)
        finally:
            now = fan.now()
            fan.record("disconnect", now, now, code=self.refusal, channel=CHANNEL)
            self.is_live = False
            await socket.close()
        self._count_failure()

    def receive(self, text: str) -> bool:
        """Take a frame; whether this socket goes on."""
        if text.startswith('{"type":"seats"'):
            self._receive_changes(changes_in(text))
        elif text.startswith('{"type":"refresh"'):
            self.is_stale = True
            self._load_within(self.fan.rng.uniform(0, SOON_SECONDS))
        elif text.startswith('{"type":"reconnect"'):
            self._reconnect_after = json.loads(text)["after_ms"] / 1000
        elif text.startswith('{"type":"error"'):
            self.refusal = str(json.loads(text).get("code", ""))
        return not self._reconnect_after

    def _receive_changes(self, changes: Changes) -> None:
        now = asyncio.get_running_loop().time()
        is_list_old = self._is_first and self.letters and now > self._listed_at + RECENT / 2
        if self.failed_connects or is_list_old:  # pushes were missed
            self.is_stale = True
            self._load_in(0)
        self.is_live, self.failed_connects, self._is_first = True, 0, False
        while self._recent and self._recent[0][0] < now - RECENT:
            self._recent.popleft()
        if changes:
            self._recent.append((now, changes))
            self._unapplied.append(changes)
        if (
            (layout := self.fan.pool.layout)
            and layout.standing_sections
            and not layout.are_seats(changes)
        ):
            self._load_within(self.fan.rng.uniform(SOON_SECONDS, 2 * SOON_SECONDS))

    def _count_failure(self) -> None:
        self.failed_connects += 1
        if self.failed_connects >= MAX_FAILURES:
            self._load_in(POLL_SECONDS * self.fan.rng.uniform(0.8, 1.2))


@lru_cache(maxsize=512)
def changes_in(text: str) -> Changes:
    """Shared by all users who get the same frame, so it must not be modified."""
    changes: Changes = json.loads(text)["changes"]
    return changes
