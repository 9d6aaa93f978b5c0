"""Publishes committed seat changes to the gate, the live map, the seat list and the queue."""

import logging
from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from redis.exceptions import RedisError

from reservations import gate
from waiting_queue import services as queue

log = logging.getLogger(__name__)
# The owner, at the gate, of returned seats that are kept for the standby list.
NOBODY = 0


def publish_held(
    *, event_id: int, fan_id: int, seats: Collection[int], until: datetime, are_new: bool = True
) -> None:
    """Shut the gate for these seats until their deadline."""
    change = -len(seats) if are_new else 0
    _publish_after_commit(event_id, fan_id, seats, gate.HELD, until, change)


async def apublish_held(
    *, event_id: int, fan_id: int, seats: Collection[int], until: datetime, are_new: bool = True
) -> None:
    """The same for coroutines, of holds that are committed."""
    change = -len(seats) if are_new else 0
    await gate.apublish_seats(event_id, fan_id, seats, gate.HELD, until=until, change=change)


def publish_sold(*, event_id: int, fan_id: int, seats: Collection[int], now: datetime) -> None:
    _publish_after_commit(event_id, fan_id, seats, gate.SOLD, now + gate.TTL, 0)


async def apublish_sold(
    *, event_id: int, fan_id: int, seats: Collection[int], now: datetime
) -> None:
    """The same for coroutines, of sales that are committed."""
    await gate.apublish_seats(event_id, fan_id, seats, gate.SOLD, until=now + gate.TTL)


def publish_freed(*, event_id: int, fan_id: int, seats: Collection[int], now: datetime) -> None:
    _publish_after_commit(event_id, fan_id, seats, gate.AVAILABLE, now, len(seats))


def publish_returned(
    *, event_id: int, fan_id: int, seats: Collection[int], now: datetime, kept: bool
) -> None:
    """Free the seats, or keep the gate shut if they are kept for the standby list."""
    if kept:
        _publish_after_commit(event_id, NOBODY, seats, gate.HELD, now + gate.TTL, 0)
    else:
        publish_freed(event_id=event_id, fan_id=fan_id, seats=seats, now=now)


def complete_queue_pass(*, event_id: int, fan_id: int, seats: int, now: datetime) -> None:
    """After the commit, give the fan's place inside to the next in line."""

    def complete() -> None:
        queue.complete(event_id=event_id, person=str(fan_id), seats=seats, now=now)

    transaction.on_commit(complete, robust=True)


async def acomplete_queue_pass(*, event_id: int, fan_id: int, seats: int, now: datetime) -> None:
    """The same for coroutines, after the commit. Never fails: the pass ends by itself."""
    try:
        await queue.acomplete(event_id=event_id, person=str(fan_id), seats=seats, now=now)
    except RedisError as outage:
        log.warning("the pass of %s in %s was not ended: %s", fan_id, event_id, outage)


def _publish_after_commit(
    event_id: int, fan_id: int, seats: Collection[int], letter: str, until: datetime, change: int
) -> None:
    def publish() -> None:
        gate.publish_seats(event_id, fan_id, list(seats), letter, until=until, change=change)

    transaction.on_commit(publish, robust=True)
