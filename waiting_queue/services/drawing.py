"""The lot: everybody in the lobby gets a number, in an order that anyone can check.

Before the opening the SHA-256 of a secret seed is published, afterwards the seed. Each person in
the lobby has an entry, a pseudonym; the order is that of the entries' hashes under the seed.
"""

import logging
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from django.db import transaction

from waiting_queue import store
from waiting_queue.errors import QueueUnavailable
from waiting_queue.locks import free_queue_for_update
from waiting_queue.models import QueueDraw, SaleQueue
from waiting_queue.services.rules import rules_of

log = logging.getLogger(__name__)
# People to whom one script gives numbers: a few milliseconds of Redis.
PART = 500


def seed_hash(seed: str) -> str:
    """What is published before the opening."""
    return sha256(seed.encode()).hexdigest()


def entry_of(queue: SaleQueue, person: str) -> str:
    """A person's name in the published list; they are shown their own, nobody else can tell."""
    return sha256(f"{queue.salt}:{person}".encode()).hexdigest()[:16]


def drawn_order(seed: str, entries: Iterable[str]) -> list[str]:
    """The whole rule of the draw."""
    return sorted(entries, key=lambda entry: sha256(f"{seed}:{entry}".encode()).digest())


def draw_lobby(*, event_id: int, now: datetime) -> int:
    """Carry out a draw that is due, from wherever it stopped. Answers how many got a number now."""
    if not _list_people(event_id, now):
        return 0
    return _give_numbers(event_id, now)


@transaction.atomic
def _list_people(event_id: int, now: datetime) -> bool:
    """Fix the order, and commit it, before anybody gets a number."""
    queue = free_queue_for_update(event_id)
    draw = QueueDraw.objects.filter(pk=event_id, finished_at=None).first()
    if queue is None or draw is None:
        return False
    if draw.people is None:
        draw.first_number = _set_aside(queue, now)
        draw.people = _ordered(draw, store.lobby_people(event_id))
        draw.save(update_fields=["first_number", "people"])
    return True


def _set_aside(queue: SaleQueue, now: datetime, *, drawing: bool = True) -> int:
    """The first number of the lobby; a line that Redis has lost is not drawn, but rebuilt first."""
    first = store.run(store.configure(queue.pk, rules_of(queue, drawing=drawing), now))
    if not first:
        raise QueueUnavailable()
    return first


def _ordered(draw: QueueDraw, people: list[str]) -> list[str]:
    if not draw.shuffled:
        return people
    by_entry = {entry_of(draw.queue, person): person for person in people}
    return [by_entry[entry] for entry in drawn_order(draw.seed, by_entry)]


@transaction.atomic
def _give_numbers(event_id: int, now: datetime) -> int:
    """Part by part, so that Redis is never kept busy for long; a repeat changes nothing."""
    queue = free_queue_for_update(event_id)
    draw = QueueDraw.objects.filter(pk=event_id, finished_at=None).first()
    if queue is None or draw is None:
        return 0
    people: list[str] = draw.people or []
    moved = 0
    for start in range(0, len(people), PART):
        part = people[start : start + PART]
        moved += store.run(store.draw(event_id, part, draw.first_number + start, now))
    draw.finished_at = now
    draw.save(update_fields=["finished_at"])
    _set_aside(queue, now, drawing=False)
    log.info("queue %s: %s of %s in the lobby drawn", event_id, moved, len(people))
    return moved


def published_draw(queue: SaleQueue) -> dict[str, object]:
    """Everything somebody needs to check the draw; the seed only once it is over."""
    draw = QueueDraw.objects.filter(pk=queue.pk).exclude(finished_at=None).first()
    public: dict[str, object] = {"event": queue.pk, "seed_sha256": seed_hash(queue.seed)}
    if draw is None:
        return public | {"seed": None, "entries": None}
    entries = [entry_of(queue, person) for person in draw.people or []]
    return public | {
        "seed": draw.seed,
        "shuffled": draw.shuffled,
        "first_number": draw.first_number,
        "entries": entries,
    }
