"""The draw of a lobby: everybody in it gets a number, in an order that anyone can verify.

`selectors.draws` describes what is published about it.
"""

import logging
from datetime import datetime

from django.db import transaction

from waiting_queue import store
from waiting_queue.errors import QueueUnavailable
from waiting_queue.locks import free_draw_for_update, free_queue_for_update
from waiting_queue.models import MinuteDraw, QueueDraw, SaleQueue
from waiting_queue.selectors import derived_seed, drawn_order, entry_of, lobby_hash
from waiting_queue.services.group_moves import move_groups_of_draw
from waiting_queue.services.rules import rules_of

log = logging.getLogger(__name__)
# People who get a number in one script: a few milliseconds of Redis.
BATCH = 500


def draw_lobby(*, event_id: int, now: datetime) -> int:
    """Carry out a draw that is due, or finish one that crashed; return how many got a number.

    The lobby is committed before its seed is derived, and the order before anybody gets a number,
    so that a second attempt has the same seed and gives the same numbers. Groups are moved to the
    end before the draw is finished and the first are called.
    """
    if not _fix_lobby(event_id, now) or not _save_order(event_id):
        return 0
    moved = _give_numbers(event_id, now)
    if moved is None:
        return 0
    move_groups_of_draw(event_id=event_id, now=now)
    return _finish(event_id, moved, now)


@transaction.atomic
def _fix_lobby(event_id: int, now: datetime) -> bool:
    """Save who is drawn; whoever leaves the lobby from now on changes nothing about the seed."""
    queue = free_queue_for_update(event_id)
    draw = _unfinished_draw(event_id)
    if queue is None or draw is None:
        return False
    if draw.people is None:
        draw.first_number = _begin(queue, now, drawing=True)
        draw.people = store.lobby_people(event_id)
        draw.lobby_sha256 = lobby_hash(people_by_entry(queue, draw.people))
        draw.save(update_fields=["first_number", "people", "lobby_sha256"])
    return True


@transaction.atomic
def _save_order(event_id: int) -> bool:
    """Derive the seed from the fixed lobby, and save the order that it gives."""
    queue = free_queue_for_update(event_id)
    draw = _unfinished_draw(event_id)
    if queue is None or draw is None:
        return False
    if not draw.seed:
        secret = queue.open_draw_secrets().secret
        draw.seed = derived_seed(secret, draw.lobby_sha256, queue.public_value)
        if draw.shuffled:
            by_entry = people_by_entry(queue, draw.people or [])
            draw.people = [by_entry[entry] for entry in drawn_order(draw.seed, by_entry)]
        draw.save(update_fields=["seed", "people"])
    return True


@transaction.atomic
def _give_numbers(event_id: int, now: datetime) -> int | None:
    """Lock the draw and not the queue: operators need not wait until everybody has a number."""
    draw = free_draw_for_update(event_id)
    return give_numbers(draw, SaleQueue.objects.get(pk=event_id), now) if draw else None


def give_numbers(
    draw: QueueDraw | MinuteDraw, queue: SaleQueue, now: datetime, *, minute: int = 0
) -> int | None:
    """Give numbers in parts, so that no script keeps Redis busy; return how many got one.

    Repeating it changes nothing, and goes on where it ended. None if the line was lost or rebuilt:
    the draw must not be finished without its numbers.
    """
    people: list[str] = draw.people or []
    moved = drawn = 0
    while drawn < len(people):
        part = people[drawn : drawn + BATCH]
        first, epoch = draw.first_number, queue.epoch
        result = store.run(
            store.draw(queue.pk, part, first, now, epoch=epoch, before=drawn, minute=minute)
        )
        moved, drawn = moved + result.moved, result.drawn
        if drawn < 0:
            return None
    return moved


def has_all_numbers(
    draw: QueueDraw | MinuteDraw, queue: SaleQueue, now: datetime, *, minute: int = 0
) -> bool:
    """Whether everybody of a draw had their turn in the present line, also if it was rebuilt."""
    asked = store.draw(queue.pk, [], draw.first_number, now, epoch=queue.epoch, minute=minute)
    return store.run(asked).drawn >= len(draw.people or [])


@transaction.atomic
def _finish(event_id: int, moved: int, now: datetime) -> int:
    """Let people be called; if another worker has the queue, the next attempt does it.

    So it does if the line was rebuilt since the numbers were given.
    """
    queue = free_queue_for_update(event_id)
    draw = _unfinished_draw(event_id)
    if queue is None or draw is None or not has_all_numbers(draw, queue, now):
        return 0
    draw.finished_at = now
    draw.save(update_fields=["finished_at"])
    _begin(queue, now, drawing=False)
    people = len(draw.people or [])
    log.info("queue %s: drew %s of %s people in the lobby", event_id, moved, people)
    return moved


def _unfinished_draw(event_id: int) -> QueueDraw | None:
    return QueueDraw.objects.filter(pk=event_id, finished_at=None).first()


def _begin(queue: SaleQueue, now: datetime, *, drawing: bool) -> int:
    """Write the rules to Redis and return the lobby's first number; a lost line is not drawn."""
    first_number = store.run(store.configure(queue.pk, rules_of(queue, drawing=drawing), now))
    if not first_number:
        raise QueueUnavailable()
    return first_number


def people_by_entry(queue: SaleQueue, people: list[str]) -> dict[str, str]:
    """Return these people by their pseudonyms in published draws."""
    salt = queue.open_draw_secrets().salt
    return {entry_of(salt, person): person for person in people}
