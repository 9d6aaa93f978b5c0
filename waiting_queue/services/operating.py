"""What operators and the clock do to a queue."""

import logging
import secrets
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue import store
from waiting_queue.locks import queue_for_update
from waiting_queue.models import QueueChange, QueueDraw, SaleQueue
from waiting_queue.services.rules import is_drawing, rules_of

log = logging.getLogger(__name__)
State = SaleQueue.State
KNOBS = (
    "max_inside",
    "admit_per_second",
    "capacity",
    "claim_seconds",
    "pass_seconds",
    "pass_max_seconds",
    "absence_seconds",
    "queues_per_person",
    "stock_factor",
    "lobby_opens_at",
    "opens_at",
    "shuffle_lobby",
)


@transaction.atomic
def move_queue(
    *, event_id: int, to: SaleQueue.State, by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Open, pause, drain or close a queue, and note who did it."""
    queue = queue_for_update(event_id)
    before = queue.state
    queue.move_to(to)
    if not queue.epoch and to != State.CLOSED:
        queue.epoch = secrets.token_urlsafe(9)
    if to == State.OPEN and before == State.LOBBY:
        QueueDraw.objects.create(queue=queue, at=now, seed=queue.seed, shuffled=queue.shuffle_lobby)
    queue.save(update_fields=["state", "epoch"])
    _note(queue, by=by, now=now, what="state", before=before, after=to, why=why)
    transaction.on_commit(partial(publish, queue, now))
    return queue


@transaction.atomic
def set_knobs(
    *, event_id: int, knobs: dict[str, Any], by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Change knobs, all or none; the next tick uses them."""
    queue = queue_for_update(event_id)
    if unknown := sorted(set(knobs) - set(KNOBS)):
        raise InvalidInput(knobs=unknown)
    for name, value in knobs.items():
        before = getattr(queue, name)
        if before != value:
            setattr(queue, name, value)
            _note(queue, by=by, now=now, what=name, before=before, after=value, why=why)
    queue.full_clean()
    queue.save(update_fields=list(knobs))
    return queue


def publish(queue: SaleQueue, now: datetime) -> int:
    """Tell Redis the rules of a queue that has begun."""
    if not queue.epoch:
        return 0
    rules = rules_of(queue, drawing=is_drawing(queue.pk))
    return store.take(store.begin(queue.pk, rules, now))


def _note(
    queue: SaleQueue,
    *,
    by: User | None,
    now: datetime,
    what: str,
    before: Any,
    after: Any,
    why: str,
) -> None:
    QueueChange.objects.create(
        queue=queue, at=now, by=by, what=what, before=str(before), after=str(after), why=why
    )
    log.info("queue %s: %s %s -> %s by %s", queue.pk, what, before, after, by or "the clock")
