"""After every tick: one message per event tells all servers what to tell the people in line."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from redis.exceptions import RedisError

from waiting_queue import store
from waiting_queue.live import hub
from waiting_queue.live.frames import announcements_of
from waiting_queue.models import SaleQueue
from waiting_queue.outlook import outlook_of
from waiting_queue.tick_message import TickMessage

log = logging.getLogger(__name__)
# Seats are counted for the outlook this often; the pulses in between repeat it.
OUTLOOK_MS = 5_000
_outlooks: dict[int, tuple[int, dict[str, Any]]] = {}


def send_pulses(queues: Iterable[SaleQueue], *, now: datetime) -> None:
    """A pulse that is not heard costs nobody their place: the next one says what was missed."""
    queues = list(queues)
    answers = store.run_each([store.tick_message(queue.pk) for queue in queues])
    pulses = [
        _whole(queue, pulse, now)
        for queue, pulse in zip(queues, answers, strict=True)
        if isinstance(pulse, TickMessage)
    ]
    _publish(pulses)


def send_closing_pulse(*, event_id: int, now: datetime) -> None:
    """The last one: the queue is over, and Redis knows nothing of it any more."""
    _outlooks.pop(event_id, None)
    _publish([TickMessage(event_id, queue_state="closed", at_ms=store.ms(now))])


def announcements(event_id: int) -> dict[str, Any]:
    """What everybody in line was told last: the operator's words, and the outlook."""
    return announcements_of(store.last_tick_message(event_id))


async def aannouncements(event_id: int) -> dict[str, Any]:
    return announcements_of(await hub.hub().last_pulse(event_id))


def _publish(pulses: list[TickMessage]) -> None:
    try:
        store.publish_tick_messages(pulses)
    except RedisError as outage:
        log.warning("nobody was told of this tick: %s", outage)


def _whole(queue: SaleQueue, pulse: TickMessage, now: datetime) -> TickMessage:
    outlook = _outlook(pulse, store.ms(now))
    return replace(pulse, at_ms=store.ms(now), notice=queue.notice, outlook=outlook)


def _outlook(pulse: TickMessage, now_ms: int) -> dict[str, Any]:
    counted_ms, known = _outlooks.get(pulse.event_id, (0, {}))
    if now_ms - counted_ms >= OUTLOOK_MS or now_ms < counted_ms:
        known = _counted(pulse) or known
        _outlooks[pulse.event_id] = now_ms, known
    return known


def _counted(pulse: TickMessage) -> dict[str, Any] | None:
    """One event's trouble is not the others': they are told the rest."""
    people = {"admitted": pulse.admitted, "inside": pulse.inside, "ready": pulse.ready}
    try:
        return outlook_of(pulse.event_id, **people).as_dict()
    except Exception:
        log.exception("queue %s: the outlook could not be worked out", pulse.event_id)
        return None
