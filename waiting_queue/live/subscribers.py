"""The open pages of one event in this process, and where each of them stands."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count

from django.conf import settings

from ticketing.core import clock
from ticketing.core.live.send_buffer import BREATH, SendBuffer, breathe
from waiting_queue import metrics, store
from waiting_queue.live.frames import Frames, announcements
from waiting_queue.live.local_ranks import LocalRanks
from waiting_queue.store import Standing
from waiting_queue.tick_message import TickMessage
from waiting_queue.tokens import QueueToken

log = logging.getLogger(__name__)

# Who is near hears of every step (settings.LIVE_NEAR). Farther back a step of one in a hundred is
# worth a message, and everybody hears something every few seconds, not all in the same one.
WORTH = 0.01
SILENCE_SECONDS = 5
ALL_SLOTS = set(range(SILENCE_SECONDS))
# What is known of a line whose ticks have stopped is not told as if it were news.
FRESH_SECONDS = 3.0
# Whose deadline may be moved: by their own activity, or after an outage.
DATED = frozenset({"ready", "admitted"})

_slots = count()


@dataclass(slots=True, eq=False)
class Connection:
    """One open page."""

    person: str
    outbox: SendBuffer
    end: Callable[[], None]
    standing: Standing | None = None
    number: int = 0  # of somebody who waits
    told: int = -1  # people ahead, as it was told last
    slot: int = field(default_factory=lambda: next(_slots) % SILENCE_SECONDS)

    def tell(self, found: Standing, text: str) -> None:
        self.standing, self.told = found, found.ahead
        self.number = found.number if found.state == "waiting" else 0
        self.outbox.put("standing", text)

    def is_due(self, ahead: int, near: int, slots: set[int]) -> bool:
        step = abs(self.told - ahead)
        return self.slot in slots or (step > 0 and (ahead < near or step >= ahead * WORTH))


class Room:
    """One computation a tick, for all connections of an event."""

    def __init__(self, event_id: int) -> None:
        self.event_id = event_id
        self.people: dict[str, list[Connection]] = {}
        self.polled: set[str] = set()
        self.pulse: TickMessage | None = None
        self.used_at = self.beaten_at = clock.monotonic()
        self._mirror: LocalRanks | None = None
        self._followed: TickMessage | None = None
        self._heard_at = 0.0
        self._to_look_up: set[str] = set()
        self._pages: list[Connection] | None = None
        self._frames: Frames | None = None
        self._unheard: list[TickMessage] = []
        self._working: asyncio.Task[None] | None = None

    def add(self, connection: Connection) -> None:
        self.people.setdefault(connection.person, []).append(connection)
        self._pages = None

    def remove(self, connection: Connection) -> None:
        connection.outbox.close()
        self._pages = None
        tabs = self.people.get(connection.person, [])
        if connection in tabs:
            tabs.remove(connection)
        if not tabs:
            self.people.pop(connection.person, None)

    def connections(self) -> list[Connection]:
        if self._pages is None:
            self._pages = [connection for tabs in self.people.values() for connection in tabs]
        return self._pages

    def answer(self, held: QueueToken, moment: float, luck: float) -> str | None:
        """Where the holder of a token stands, if that can be told without asking Redis."""
        frames, mirror = self._frames, self._mirror
        if frames is None or mirror is None or moment - self._heard_at > FRESH_SECONDS:
            return None
        if held.epoch != frames.pulse.epoch or not mirror.has(held.number):
            return None
        self.polled.add(held.person)
        return frames.answer(held.number, mirror.ahead(held.number), luck)

    def hear(self, pulse: TickMessage) -> None:
        """Pulses that come while an earlier one is being told are told together."""
        self._unheard.append(pulse)
        self._heard_at = clock.monotonic()
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())

    def doubt(self) -> None:
        """Pulses may have gone unheard, whatever their turns will say."""
        self._followed = None

    async def _work(self) -> None:
        while self._unheard:
            pulses, self._unheard = self._unheard, []
            try:
                await self._tell(pulses)
            except Exception as failure:
                self._mirror = None  # the next pulse starts afresh
                log.warning("queue %s: a tick could not be told: %s", self.event_id, failure)

    async def _tell(self, pulses: list[TickMessage]) -> None:
        if pulses[-1].queue_state == "closed":
            await self._send_home(pulses[-1])
            return
        asked = {person for pulse in pulses for person in await self._follow(pulse)}
        before, self.pulse = self.pulse, pulses[-1]
        frames, slots = Frames(self.pulse), _slots_between(before, self.pulse)
        asked, self._to_look_up = asked | self._to_look_up, set()
        self._frames = frames
        found = await store.apeek_all(self.event_id, list(asked), frames.now)
        await self._tell_news(frames, found)
        await self._tell_others(frames, found, slots)
        self._announce(before, self.pulse)
        metrics.BROADCAST_SECONDS.observe(max(store.ms(clock.now()) - pulses[0].at_ms, 0) / 1000)

    async def _send_home(self, pulse: TickMessage) -> None:
        self.pulse, self._mirror, self._frames, frames = pulse, None, None, Frames(pulse)
        over = frames.standing("closed", 0, 0)
        text = frames.of("", over)
        for number, connection in enumerate(self.connections(), start=1):
            connection.tell(over, text)
            connection.end()
            await breathe(number)

    async def _follow(self, pulse: TickMessage) -> Iterable[str]:
        """The people of ours who must be looked up."""
        before, self._followed = self._followed, pulse
        if pulse.drawing:
            self._mirror = None
            return []
        if self._mirror and before and pulse.comes_after(before):
            self._mirror.follow(pulse)
            return [person for person, _ in pulse.news if person in self.people]
        numbers = await asyncio.to_thread(store.line_numbers, self.event_id)
        self._mirror = LocalRanks(numbers, pulse)
        return [person for person in self.people if not self._is_where_it_was(person, pulse)]

    def _is_where_it_was(self, person: str, pulse: TickMessage) -> bool:
        known = self.people[person][0].standing
        return bool(
            known
            and known.state == "waiting"
            and known.epoch == pulse.epoch
            and self._mirror
            and self._mirror.has(known.number)
        )

    async def _tell_news(self, frames: Frames, found: dict[str, Standing]) -> None:
        for number, (person, standing) in enumerate(found.items(), start=1):
            tabs = self.people.get(person, ())
            text = frames.news(person, standing) if tabs else ""
            for connection in tabs:
                connection.tell(standing, text)
            metrics.FRAMES.inc(len(tabs))
            await breathe(number)

    async def _tell_others(
        self, frames: Frames, found: dict[str, Standing], slots: set[int]
    ) -> None:
        others = self.connections()
        if found:
            others = [page for page in others if page.person not in found]
        for start in range(0, len(others), BREATH):
            self._tell_some(others[start : start + BREATH], frames, slots)
            await asyncio.sleep(0)

    def _tell_some(self, pages: list[Connection], frames: Frames, slots: set[int]) -> None:
        """What is done here is done for everybody in line, every second.

        First all words, then all sends: each is faster by far when it is not done in turns.
        """
        texts = [self._text_for(page, frames, slots) for page in pages]
        for page, text in zip(pages, texts, strict=True):
            if text:
                page.outbox.put("standing", text)
        metrics.FRAMES.inc(len(pages) - texts.count(None))

    def _text_for(self, page: Connection, frames: Frames, slots: set[int]) -> str | None:
        if page.number:
            ahead = max(self._mirror.ahead(page.number), 0) if self._mirror else page.told
            if not page.is_due(ahead, settings.LIVE_NEAR, slots):
                return None
            page.told = ahead
            return frames.waiting(page.number, ahead)
        if page.standing is None or page.slot not in slots:
            return None
        if page.standing.state in DATED:
            self._to_look_up.add(page.person)  # and told with the next pulse
        return frames.of(page.person, page.standing)

    def _announce(self, before: TickMessage | None, pulse: TickMessage) -> None:
        """The first pulse here may take back what a page was told from what Redis keeps."""
        known = announcements(before) if before else {}
        for kind, text in announcements(pulse).items():
            if text != known.get(kind):
                for connection in self.connections():
                    connection.outbox.put(kind, text)

    def close(self) -> None:
        if self._working is not None:
            self._working.cancel()


def _slots_between(before: TickMessage | None, pulse: TickMessage) -> set[int]:
    """Those of every second since the pulse before: ticks come late, and not at full seconds."""
    if before is None or before.queue_state != pulse.queue_state:
        return ALL_SLOTS
    second = pulse.at_ms // 1000
    passed = second - before.at_ms // 1000
    if not 0 <= passed < SILENCE_SECONDS:  # an outage, or a clock was put right
        return ALL_SLOTS
    return {one % SILENCE_SECONDS for one in range(second - passed + 1, second + 1)}
