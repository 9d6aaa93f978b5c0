"""A line that is drawn all along: the newcomers of each minute get their numbers by lot.

`lua/_minutes.lua` ends a minute and reserves its numbers; `selectors.draws` describes what is
published. As at the opening there are three transactions: a second attempt after a crash has the
same people, the same seed and the same numbers.
"""

import logging
from datetime import datetime

from django.db import transaction

from waiting_queue import store
from waiting_queue.locks import free_minute_for_update, free_queue_for_update
from waiting_queue.models import MINUTES, MinuteDraw, SaleQueue, minute_secret
from waiting_queue.selectors import derived_seed, drawn_order, lobby_hash
from waiting_queue.services.audit_log import record_change
from waiting_queue.services.draws import give_numbers, has_all_numbers, people_by_entry

log = logging.getLogger(__name__)


def draw_minutes(*, event_id: int, now: datetime) -> int:
    """Draw the minutes that have ended, in order; return how many people got a number."""
    moved = 0
    for minute in store.undrawn_minutes(event_id):
        if not _fix_people(event_id, minute, now) or not _save_order(event_id, minute, now):
            break  # another worker is at it: a later minute does not come before an earlier one
        if (given := _give_numbers(event_id, minute, now)) is None:
            break
        moved += given
    return moved


@transaction.atomic
def _fix_people(event_id: int, minute: int, now: datetime) -> bool:
    """Save who is drawn; whoever leaves from now on changes nothing about the seed."""
    queue, undrawn = free_queue_for_update(event_id), store.undrawn_minutes(event_id)
    if queue is None or minute not in undrawn:
        return False
    people = store.minute_people(event_id, minute)
    draw, _ = MinuteDraw.objects.get_or_create(
        queue=queue,
        minute=minute,
        defaults={"at": now, "first_number": undrawn[minute], "size": len(people)},
    )
    if draw.people is None:
        draw.people, draw.entries_sha256 = people, lobby_hash(people_by_entry(queue, people))
        draw.save(update_fields=["people", "entries_sha256"])
    return True


@transaction.atomic
def _save_order(event_id: int, minute: int, now: datetime) -> bool:
    """Derive the seed from the minute's secret and its people, and save the order it gives."""
    queue = free_queue_for_update(event_id)
    if queue is None:
        return False
    draw = MinuteDraw.objects.get(queue=queue, minute=minute)
    if not draw.seed:
        draw.secret = minute_secret(queue.minute_secrets, minute)
        draw.seed = derived_seed(draw.secret, draw.entries_sha256, "")
        by_entry = people_by_entry(queue, draw.people or [])
        draw.people = [by_entry[entry] for entry in drawn_order(draw.seed, by_entry)]
        draw.save(update_fields=["secret", "seed", "people"])
        if minute >= MINUTES:
            _end_mode(queue, now)
    return True


def _give_numbers(event_id: int, minute: int, now: datetime) -> int | None:
    """Repeating it changes nothing. Until it is done nobody of this minute or later is called.

    None if another worker is at it, or if the line was lost or rebuilt meanwhile.
    """
    queue = SaleQueue.objects.get(pk=event_id)
    with transaction.atomic():
        draw = free_minute_for_update(event_id, minute)
        moved = give_numbers(draw, queue, now, minute=minute) if draw else None
    if moved is None or not _finish(event_id, minute, now):
        return None
    store.run(store.finish_minute(event_id, minute, epoch=queue.epoch))
    log.info("queue %s: drew %s people of minute %s", event_id, moved, minute)
    return moved


@transaction.atomic
def _finish(event_id: int, minute: int, now: datetime) -> bool:
    queue = free_queue_for_update(event_id)
    draw = MinuteDraw.objects.get(queue_id=event_id, minute=minute)
    if queue is None or not has_all_numbers(draw, queue, now, minute=minute):
        return False
    draw.finished_at = draw.finished_at or now
    draw.save(update_fields=["finished_at"])
    return True


def _end_mode(queue: SaleQueue, now: datetime) -> None:
    """The last secret is used: from now on places are given by order of arrival."""
    before, queue.mode = queue.mode, SaleQueue.Mode.FIRST_COME
    if before == SaleQueue.Mode.MINUTE_DRAW:
        queue.save(update_fields=["mode"])
        record_change(queue, by=None, now=now, what="mode", before=before, after=queue.mode)
