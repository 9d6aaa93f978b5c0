"""The open waiting pages of one event in this process, and the ranks pushed to them."""

import asyncio
import logging
from collections.abc import Iterable, Mapping

from django.conf import settings

from ticketing.core import clock
from ticketing.core.live.hub import Topic
from ticketing.core.live.shutdown import ask_to_reconnect
from ticketing.core.live.subscriber import in_batches
from waiting_queue import metrics, store
from waiting_queue.errors import TooManyPages
from waiting_queue.live.frames import Frames, announcement_frames
from waiting_queue.live.local_ranks import LaneRanks, LocalRanks, ranks_of
from waiting_queue.live.subscribers import SILENCE_SECONDS, QueueSubscriber
from waiting_queue.store import Standing
from waiting_queue.tick_message import TickMessage
from waiting_queue.tokens import QueueToken

log = logging.getLogger(__name__)

ALL_SLOTS = set(range(SILENCE_SECONDS))
# Polls are not answered from a message that is older: the ticks have stopped. Both times are for
# ticks of up to a second, and grow with longer ones.
FRESH_SECONDS = 3.0
# The same for whoever does not say which turn they have seen: after this the next tick is overdue
# here, and another process may have told them of it.
UNNUMBERED_SECONDS = 1.5
# States whose deadline may move: by the person's own activity, or after an outage.
STATES_WITH_DEADLINE = frozenset({"ready", "admitted"})


class QueueTopic(Topic[QueueSubscriber]):
    """One computation a tick, for all subscribers of an event."""

    is_crowded = False  # so many pages are open in this process that not all get every rank

    def __init__(self, event_id: int) -> None:
        super().__init__(event_id)
        self.people: dict[str, list[QueueSubscriber]] = {}  # a person may have several tabs
        self.polled: set[str] = set()
        self.free_places: set[tuple[str, int]] = set()  # of pages that were closed
        self.message: TickMessage | None = None  # the last one that was received
        self.heartbeat_at = self.leased_at = self.used_at
        self._ranks: LocalRanks | LaneRanks | None = None
        self._followed: TickMessage | None = None  # the last one that the ranks contain
        self._pushed: TickMessage | None = None  # the last one that everybody was sent
        self._announced_by: TickMessage | None = None
        self._announcements: dict[str, str] = announcement_frames(None)
        self._turn = 0  # of the ranks
        self._received_at = 0.0
        self._look_up_next: set[str] = set()
        self._frames: Frames | None = None
        self._pending: list[TickMessage] = []

    def add(self, subscriber: QueueSubscriber) -> None:
        self.require_free_place(subscriber.person)
        super().add(subscriber)
        self.people.setdefault(subscriber.person, []).append(subscriber)

    def remove(self, subscriber: QueueSubscriber) -> None:
        super().remove(subscriber)
        tabs = self.people.get(subscriber.person, [])
        if subscriber in tabs:
            tabs.remove(subscriber)
        if not tabs:
            self.people.pop(subscriber.person, None)
        if subscriber.place:
            self.free_places.add((subscriber.person, subscriber.place))

    def require_free_place(self, person: str) -> None:
        """Refuse another page of a person who has as many open in this process already."""
        most = settings.PAGES_PER_PERSON
        if most and len(self.people.get(person, ())) >= most:
            raise TooManyPages()

    def answer(self, held: QueueToken, moment: float, luck: float, turn: int = 0) -> str | None:
        """The standing of a token's holder as JSON, if it is known without asking Redis.

        None also if the holder has seen a later turn: nobody is told an older place.
        """
        known = self._known(held, moment, turn)
        return known[0].answer(held.number, known[1], luck) if known else None

    def greet(self, subscriber: QueueSubscriber, held: QueueToken, turn: int) -> bool:
        """Send a subscriber its first frames if they are known without asking Redis."""
        known = self._known(held, clock.monotonic(), turn) if turn else None
        if known:
            frames, ahead = known
            standing = frames.standing("waiting", held.number, ahead)
            text = frames.waiting(held.number, ahead)
            subscriber.push_standing(standing, text, self.announcement_frames())
        return known is not None

    def announcement_frames(self) -> dict[str, str]:
        """The frames of the last message, the same for every page opened until the next one."""
        if self._announced_by is not self.message:
            self._announced_by, self._announcements = (
                self.message,
                announcement_frames(self.message),
            )
        return self._announcements

    def _known(self, held: QueueToken, moment: float, turn: int) -> tuple[Frames, int] | None:
        frames, ranks = self._frames, self._ranks
        # Ranks that were read after the message are not those of the next one yet.
        if frames is None or ranks is None or turn > frames.message.turn:
            return None
        longest = FRESH_SECONDS if turn else UNNUMBERED_SECONDS
        if moment - self._received_at > longest * max(settings.TICK_MS / 1_000, 1):
            return None
        if held.epoch != frames.message.epoch or not ranks.has(held.number):
            return None
        self.polled.add(held.person)
        return frames, ranks.ahead(held.number)

    def receive(self, message: TickMessage) -> None:
        """Messages that arrive while an earlier one is being pushed are pushed together."""
        self._pending.append(message)
        self._received_at = clock.monotonic()
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._push_pending())

    def look_up_next(self, subscriber: QueueSubscriber) -> None:
        """Push the standing of this page with the next message, even if nothing happened to it."""
        self._look_up_next.add(subscriber.person)

    def mark_stale(self) -> None:
        """Messages may have been missed, whatever their turns say: the next one reads the line."""
        self._followed = None

    async def _push_pending(self) -> None:
        while self._pending:
            messages, self._pending = self._pending, []
            try:
                await self._push(messages)
            except Exception as failure:
                self._ranks = None  # the next message reads the line again
                log.warning("queue %s: a tick could not be pushed: %s", self.key, failure)

    async def _push(self, messages: list[TickMessage]) -> None:
        if messages[-1].queue_state == "closed":
            await self._push_closed(messages[-1])
            return
        changed = {person for message in messages for person in await self._follow(message)}
        self.message = message = messages[-1]
        frames = self._frames = Frames(message, self._turn)
        asked, self._look_up_next = self._look_up_next, set()  # more may ask during the look-up
        changed |= asked
        tabs = (tab for person in changed for tab in self.people.get(person, ()))
        greeted = {tab for tab in tabs if tab.standing}
        try:
            standings = await store.apeek_all(self.key, list(changed), frames.now)
        except BaseException:
            self._look_up_next |= asked
            raise
        news = self._new_announcements(self._pushed)
        await self._push_changed(frames, standings, greeted, news)
        await self._push_ranks(frames, standings, _slots_between(self._pushed, message), news)
        self._pushed = message  # only now: what a failure interrupts is pushed with the next one
        metrics.BROADCAST_SECONDS.observe(max(store.ms(clock.now()) - messages[0].at_ms, 0) / 1000)

    async def _push_closed(self, message: TickMessage) -> None:
        self.message = self._pushed = message
        self._ranks, self._frames, frames = None, None, Frames(message)
        closed = frames.standing("closed", 0, 0)
        text = frames.unchanged("", closed)
        async for batch in in_batches(self.subscribers):
            for subscriber in batch:
                subscriber.push_standing(closed, text)
                subscriber.disconnect()

    async def _follow(self, message: TickMessage) -> Iterable[str]:
        """Bring the ranks up to date; the people of ours whose standing must be looked up."""
        before, self._followed = self._followed, message
        self._turn = message.turn
        if message.drawing:
            self._ranks = None
            return []
        if self._ranks and before and message.comes_after(before):
            self._ranks.follow(message)
            return [person for person, _ in message.changes if person in self.people]
        numbers = await asyncio.to_thread(store.line_numbers, self.key)
        ranks = self._ranks = ranks_of(numbers, message)
        self._turn = message.turn + 1  # read after the message, which they are ahead of
        return [person for person in self.people if not self._still_waits(person, ranks, message)]

    def _still_waits(
        self, person: str, ranks: LocalRanks | LaneRanks, message: TickMessage
    ) -> bool:
        known = self.people[person][0].standing
        return bool(
            known
            and known.state == "waiting"
            and known.epoch == message.epoch
            and ranks.has(known.number)
        )

    async def _push_changed(
        self,
        frames: Frames,
        standings: dict[str, Standing],
        greeted: set[QueueSubscriber],
        news: Mapping[str, str],
    ) -> None:
        """Push new standings. A page whose place was lost with Redis is asked to connect again with
        the token that restores it. One that was not `greeted` before the look-up may have been
        meanwhile, from a later one: it is looked up again with the next message."""
        lost: list[QueueSubscriber] = []
        async for batch in in_batches(standings.items()):
            for person, standing in batch:
                tabs = self.people.get(person, ())
                for subscriber in tabs:
                    if subscriber not in greeted and standing.turn <= subscriber.turn:
                        self.look_up_next(subscriber)
                    elif subscriber.has_lost_place(standing):
                        lost.append(subscriber)
                    else:
                        text = frames.changed(person, standing, subscriber.browser)
                        subscriber.push_standing(standing, text, news)
                metrics.FRAMES.inc(len(tabs))
        await ask_to_reconnect(lost)

    async def _push_ranks(
        self,
        frames: Frames,
        changed: dict[str, Standing],
        slots: set[int],
        news: Mapping[str, str],
    ) -> None:
        """Runs for everybody in line, every second; what is new for all goes out in the same write.

        All texts of a batch come before all its sends: each is much faster when not interleaved.
        """
        others: Iterable[QueueSubscriber] = self.subscribers
        if changed:
            others = [subscriber for subscriber in others if subscriber.person not in changed]
        async for batch in in_batches(others):
            texts = [self._text_for(subscriber, frames, slots) for subscriber in batch]
            for subscriber, text in zip(batch, texts, strict=True):
                if text:
                    subscriber.push("standing", text, news)
                elif news:
                    subscriber.push_several(news)
            metrics.FRAMES.inc(len(batch) - texts.count(None))

    def _text_for(self, subscriber: QueueSubscriber, frames: Frames, slots: set[int]) -> str | None:
        standing = subscriber.standing
        if frames.turn < subscriber.turn:  # it was greeted from Redis, which is ahead of us
            return None
        if subscriber.number:
            return self._rank_text(subscriber, frames, slots)
        if standing is None:
            return None
        is_sent_at_once = standing.state == "lobby" and not self.is_crowded
        if not is_sent_at_once and subscriber.slot not in slots:
            return None
        if standing.state in STATES_WITH_DEADLINE:
            self._look_up_next.add(subscriber.person)
        return frames.unchanged(subscriber.person, standing, subscriber.browser)

    def _rank_text(
        self, subscriber: QueueSubscriber, frames: Frames, slots: set[int]
    ) -> str | None:
        """While the lobby is drawn there are no ranks, and what was sent last may be outdated:
        whoever is behind it is looked up, each in their slot."""
        if self._ranks is None:
            if subscriber.slot in slots:
                self._look_up_next.add(subscriber.person)
            return None
        ahead = max(self._ranks.ahead(subscriber.number), 0)
        ahead = min(ahead, subscriber.sent_ahead)  # a place never gets worse
        if self.is_crowded and not subscriber.is_due(ahead, settings.LIVE_NEAR, slots):
            return None
        subscriber.sent_ahead = ahead
        return frames.waiting(subscriber.number, ahead)

    def _new_announcements(self, before: TickMessage | None) -> dict[str, str]:
        """What changed since that message; all of it with the first one in this process, because
        pages were greeted from the copy in Redis."""
        known = announcement_frames(before) if before else {}
        texts = self.announcement_frames()
        return {kind: text for kind, text in texts.items() if text != known.get(kind)}


def _slots_between(before: TickMessage | None, message: TickMessage) -> set[int]:
    """The slots of every second since the last message: ticks come late, at no full seconds."""
    if before is None or before.queue_state != message.queue_state:
        return ALL_SLOTS
    second = message.at_ms // 1000
    passed = second - before.at_ms // 1000
    if not 0 <= passed < SILENCE_SECONDS:  # an outage, or a clock was put right
        return ALL_SLOTS
    return {one % SILENCE_SECONDS for one in range(second - passed + 1, second + 1)}
