"""After every tick: one message per event to all server processes."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.core.errors import DomainError
from ticketing.core.fast_path.threads import acached
from ticketing.core.ttl_cache import clearable
from ticketing.events.models import Event
from waiting_queue import store
from waiting_queue.errors import NoQueue
from waiting_queue.live import frames
from waiting_queue.live.hub import QueueHub
from waiting_queue.models import SaleQueue
from waiting_queue.selectors import outlook_of
from waiting_queue.services.no_line import no_line_reason
from waiting_queue.services.stock import learn_basket
from waiting_queue.tick_message import TickMessage

log = logging.getLogger(__name__)
# Seats are counted for the outlook this often; the messages in between repeat it.
OUTLOOK_MS = 5_000
_outlooks: dict[int, tuple[int, dict[str, Any]]] = {}
# How many had joined and were challenged, when, and how many came a second lately; what is left of
# that a tick later.
_joined: dict[int, tuple[tuple[int, int], int, float]] = clearable({})
FALL = 0.8


def send_tick_messages(queues: Iterable[SaleQueue], *, now: datetime) -> None:
    """Publish the state of these queues; whoever misses a message catches up with the next."""
    queues, now_ms = list(queues), store.ms(now)
    joins = _joins_a_second([queue.pk for queue in queues], now_ms)
    answers = store.run_each([store.tick_message(queue.pk) for queue in queues])
    _publish(
        [
            replace(
                answer,
                at_ms=now_ms,
                joins=joins[queue.pk],
                notice=queue.notice,
                outlook=_outlook(queue, answer, now_ms),
            )
            for queue, answer in zip(queues, answers, strict=True)
            if isinstance(answer, TickMessage)
        ]
    )


def send_closing_message(*, event_id: int, now: datetime) -> None:
    """Publish the last message of a queue, of which nothing is left in Redis."""
    _outlooks.pop(event_id, None)
    _joined.pop(event_id, None)
    _publish([TickMessage(event_id, queue_state="closed", at_ms=store.ms(now))])


def announcements(event_id: int) -> dict[str, Any]:
    """What everybody in line was sent last: the operator's notice, and the outlook."""
    if (message := store.last_tick_message(event_id)) is None:
        _require_queue(no_line_reason(event_id))
    return frames.announcements(message)


async def aannouncements(event_id: int) -> dict[str, Any]:
    if (message := await QueueHub.current().last_message(event_id)) is None:
        reason = await acached(no_line_reason, event_id)
        _require_queue(reason)
    return frames.announcements(message)


def _joins_a_second(event_ids: list[int], now_ms: int) -> dict[int, int]:
    """It rises at once and falls slowly, so that a rush does not end between two waves."""
    for event_id, counts in store.join_counts(event_ids).items():
        before, last_ms, rate = _joined.get(event_id, (counts, now_ms, 0.0))
        if now_ms > last_ms:
            came = max(now - then for now, then in zip(counts, before, strict=True))
            rate = max(1000 * came / max(now_ms - last_ms, 1000), FALL * rate)
        _joined[event_id] = counts, now_ms, rate
    return {event_id: int(_joined[event_id][2]) for event_id in event_ids}


def _require_queue(reason: type[DomainError] | None) -> None:
    """Nothing was sent yet: because it is early, or because there is no line."""
    if reason and issubclass(reason, NoQueue):
        raise reason()


def _publish(messages: list[TickMessage]) -> None:
    try:
        store.publish_tick_messages(messages)
    except REDIS_OUTAGES as outage:
        log.warning("the tick messages were not published: %s", outage)


def _outlook(queue: SaleQueue, message: TickMessage, now_ms: int) -> dict[str, Any]:
    """What the sale says of itself is pushed at once; seats are counted again with it."""
    sold_out = queue.event.state == Event.State.SOLD_OUT
    counted_ms, known = _outlooks.get(queue.pk, (0, {}))
    is_due = now_ms - counted_ms >= OUTLOOK_MS or now_ms < counted_ms
    if is_due or known.get("sold_out") != sold_out:
        known = {**(_count(message) or known), "sold_out": sold_out}
        # The counts of a moment ago may be kept somewhere: after such a change, count again.
        _outlooks[queue.pk] = now_ms if is_due else 0, known
    return known


def _count(message: TickMessage) -> dict[str, Any] | None:
    """None if it fails: the other events, and the rest of this message, are sent anyway."""
    people = {"admitted": message.admitted, "inside": message.inside, "ready": message.ready}
    try:
        learn_basket(message.event_id, done=max(message.admitted - message.inside, 0))
        return outlook_of(message.event_id, **people).as_dict()
    except Exception:
        log.exception("queue %s: the outlook could not be computed", message.event_id)
        return None
