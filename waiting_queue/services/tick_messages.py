"""After every tick: one message per event to all server processes."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from redis.exceptions import RedisError

from waiting_queue import store
from waiting_queue.live import frames
from waiting_queue.live.hub import QueueHub
from waiting_queue.models import SaleQueue
from waiting_queue.selectors import outlook_of
from waiting_queue.tick_message import TickMessage

log = logging.getLogger(__name__)
# Seats are counted for the outlook this often; the messages in between repeat it.
OUTLOOK_MS = 5_000
_outlooks: dict[int, tuple[int, dict[str, Any]]] = {}


def send_tick_messages(queues: Iterable[SaleQueue], *, now: datetime) -> None:
    """Publish the state of these queues; whoever misses a message catches up with the next."""
    queues, now_ms = list(queues), store.ms(now)
    answers = store.run_each([store.tick_message(queue.pk) for queue in queues])
    _publish(
        [
            replace(answer, at_ms=now_ms, notice=queue.notice, outlook=_outlook(answer, now_ms))
            for queue, answer in zip(queues, answers, strict=True)
            if isinstance(answer, TickMessage)
        ]
    )


def send_closing_message(*, event_id: int, now: datetime) -> None:
    """Publish the last message of a queue, of which nothing is left in Redis."""
    _outlooks.pop(event_id, None)
    _publish([TickMessage(event_id, queue_state="closed", at_ms=store.ms(now))])


def announcements(event_id: int) -> dict[str, Any]:
    """What everybody in line was sent last: the operator's notice, and the outlook."""
    return frames.announcements(store.last_tick_message(event_id))


async def aannouncements(event_id: int) -> dict[str, Any]:
    return frames.announcements(await QueueHub.current().last_message(event_id))


def _publish(messages: list[TickMessage]) -> None:
    try:
        store.publish_tick_messages(messages)
    except RedisError as outage:
        log.warning("the tick messages were not published: %s", outage)


def _outlook(message: TickMessage, now_ms: int) -> dict[str, Any]:
    counted_ms, known = _outlooks.get(message.event_id, (0, {}))
    if now_ms - counted_ms >= OUTLOOK_MS or now_ms < counted_ms:
        known = _count(message) or known
        _outlooks[message.event_id] = now_ms, known
    return known


def _count(message: TickMessage) -> dict[str, Any] | None:
    """None if it fails: the other events, and the rest of this message, are sent anyway."""
    people = {"admitted": message.admitted, "inside": message.inside, "ready": message.ready}
    try:
        return outlook_of(message.event_id, **people).as_dict()
    except Exception:
        log.exception("queue %s: the outlook could not be computed", message.event_id)
        return None
