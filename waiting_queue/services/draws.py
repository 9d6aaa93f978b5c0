"""The draw of a lobby: everybody in it gets a number, in an order that anyone can verify.

`selectors.draws` describes what is published about it.
"""

import logging
from datetime import datetime

from django.db import transaction

from waiting_queue import store
from waiting_queue.errors import QueueUnavailable
from waiting_queue.locks import free_queue_for_update
from waiting_queue.models import QueueDraw, SaleQueue
from waiting_queue.selectors import drawn_order, entry_of
from waiting_queue.services.rules import rules_of

log = logging.getLogger(__name__)
# People who get a number in one script: a few milliseconds of Redis.
BATCH = 500


def draw_lobby(*, event_id: int, now: datetime) -> int:
    """Carry out a draw that is due, or finish one that crashed; return how many got a number.

    Two transactions: the order is committed before anybody gets a number, so that a second
    attempt gives everybody the same number.
    """
    if not _save_order(event_id, now):
        return 0
    return _give_numbers(event_id, now)


@transaction.atomic
def _save_order(event_id: int, now: datetime) -> bool:
    queue = free_queue_for_update(event_id)
    draw = _unfinished_draw(event_id)
    if queue is None or draw is None:
        return False
    if draw.people is None:
        draw.first_number = _begin(queue, now, drawing=True)
        draw.people = _in_drawn_order(draw, store.lobby_people(event_id))
        draw.save(update_fields=["first_number", "people"])
    return True


@transaction.atomic
def _give_numbers(event_id: int, now: datetime) -> int:
    """Give numbers in batches, so that no script keeps Redis busy; repeating it changes nothing."""
    queue = free_queue_for_update(event_id)
    draw = _unfinished_draw(event_id)
    if queue is None or draw is None:
        return 0
    people: list[str] = draw.people or []
    moved = 0
    for start in range(0, len(people), BATCH):
        batch = people[start : start + BATCH]
        moved += store.run(store.draw(event_id, batch, draw.first_number + start, now))
    draw.finished_at = now
    draw.save(update_fields=["finished_at"])
    _begin(queue, now, drawing=False)
    log.info("queue %s: drew %s of %s people in the lobby", event_id, moved, len(people))
    return moved


def _unfinished_draw(event_id: int) -> QueueDraw | None:
    return QueueDraw.objects.filter(pk=event_id, finished_at=None).first()


def _begin(queue: SaleQueue, now: datetime, *, drawing: bool) -> int:
    """Write the rules to Redis and return the lobby's first number; a lost line is not drawn."""
    first_number = store.run(store.configure(queue.pk, rules_of(queue, drawing=drawing), now))
    if not first_number:
        raise QueueUnavailable()
    return first_number


def _in_drawn_order(draw: QueueDraw, people: list[str]) -> list[str]:
    if not draw.shuffled:
        return people
    by_entry = {entry_of(draw.queue, person): person for person in people}
    return [by_entry[entry] for entry in drawn_order(draw.seed, by_entry)]
