"""After a commit: the gate, the live map, the seat list and the queue hear of it."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from reservations import gate
from waiting_queue import services as queue

# Who has the seats that came back and are kept.
NOBODY = 0


def tell_held(
    *, event_id: int, fan_id: int, seats: Collection[int], until: datetime, are_new: bool = True
) -> None:
    """The gate is shut for these seats until their time is up."""
    change = -len(seats) if are_new else 0
    _after_commit(event_id, fan_id, seats, gate.HELD, until, change)


def tell_sold(*, event_id: int, fan_id: int, seats: Collection[int], now: datetime) -> None:
    _after_commit(event_id, fan_id, seats, gate.SOLD, now + gate.KEPT, 0)


def tell_freed(*, event_id: int, fan_id: int, seats: Collection[int], now: datetime) -> None:
    _after_commit(event_id, fan_id, seats, gate.AVAILABLE, now, len(seats))


def tell_returned(
    *, event_id: int, fan_id: int, seats: Collection[int], now: datetime, kept: bool
) -> None:
    """They are free, or kept for somebody who is not known yet: then the gate stays shut."""
    if kept:
        _after_commit(event_id, NOBODY, seats, gate.HELD, now + gate.KEPT, 0)
    else:
        tell_freed(event_id=event_id, fan_id=fan_id, seats=seats, now=now)


def tell_finished(*, event_id: int, fan_id: int, now: datetime) -> None:
    """The person is done inside: the place goes to the next in line."""

    def done() -> None:
        queue.complete(event_id=event_id, person=str(fan_id), now=now)

    transaction.on_commit(done, robust=True)


def _after_commit(
    event_id: int, fan_id: int, seats: Collection[int], letter: str, until: datetime, change: int
) -> None:
    def tell() -> None:
        gate.tell(event_id, fan_id, list(seats), letter, until=until, change=change)

    transaction.on_commit(tell, robust=True)
