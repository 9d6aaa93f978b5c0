"""The journal: copied from Redis to PostgreSQL, and completed when a queue is closed."""

from collections.abc import Iterator
from datetime import UTC, datetime

from django.db import transaction

from waiting_queue import store
from waiting_queue.locks import free_queue_for_update, queue_for_update
from waiting_queue.models import MinuteDraw, QueueJournal, SaleQueue
from waiting_queue.selectors.tick_queues import started_events

BATCH = 5_000
Kind = QueueJournal.Kind
# In the stream only: what it says is kept as a draw.
MINUTE = "minute"
ENDINGS = {Kind.COMPLETED: 0, Kind.LEFT: 1, Kind.EXPIRED: 2, Kind.BLOCKED: 3, Kind.CLOSED: 4}


def drain_journals(*, batches: int = 10) -> int:
    """Copy the journal of every started queue into the database; return the number of entries."""
    filled = store.events_with_journal(started_events())
    return sum(drain_journal(event_id=event_id, batches=batches) for event_id in filled)


def drain_journal(*, event_id: int, batches: int = 10, wait: bool = False) -> int:
    """Copy a queue's journal. After a crash a batch may be copied twice, which changes nothing.

    Leaves it to another worker that does the same, unless told to wait for it.
    """
    drained = 0
    for _ in range(batches):
        copied = _copy_batch(event_id, wait)
        if copied:
            store.delete_journal_entries(event_id, copied)
        drained += len(copied)
        if len(copied) < BATCH:
            break
    return drained


@transaction.atomic
def _copy_batch(event_id: int, wait: bool) -> list[str]:
    queue = queue_for_update(event_id) if wait else free_queue_for_update(event_id)
    if queue is None:
        return []
    entries = store.journal_entries(event_id, BATCH)
    rows = [_row(queue, entry, fields) for entry, fields in entries if fields["k"] != MINUTE]
    minutes = [_minute(queue, fields) for _, fields in entries if fields["k"] == MINUTE]
    QueueJournal.objects.bulk_create(rows, ignore_conflicts=True)
    MinuteDraw.objects.bulk_create(minutes, ignore_conflicts=True)
    return [entry for entry, _ in entries]


def _row(queue: SaleQueue, entry: str, fields: dict[str, str]) -> QueueJournal:
    return QueueJournal(
        event_id=queue.pk,
        entry=f"{queue.epoch}:{entry}",
        at=_time(fields),
        person=int(fields["p"]),
        kind=fields["k"],
        number=int(fields["n"]),
        leader=int(fields["l"]) if "l" in fields else None,
    )


def _minute(queue: SaleQueue, fields: dict[str, str]) -> MinuteDraw:
    """A minute that has ended, with the numbers that are reserved for its people."""
    return MinuteDraw(
        queue=queue,
        minute=int(fields["p"]),
        at=_time(fields),
        first_number=int(fields["n"]),
        size=int(fields["c"]),
    )


def _time(fields: dict[str, str]) -> datetime:
    return datetime.fromtimestamp(int(fields["t"]) / 1000, UTC)


def last_entries(event_id: int) -> Iterator[QueueJournal]:
    """The last journal entry of each person, read in parts: there may be millions."""
    entries = QueueJournal.objects.filter(event_id=event_id).order_by("person", "-id")
    return entries.distinct("person").iterator(chunk_size=BATCH)


def archive_queue(*, event_id: int, now: datetime) -> bool:
    """Complete a closed queue's journal and erase its line from Redis; return whether done."""
    while drain_journal(event_id=event_id):
        pass
    return _archive(event_id, now)


@transaction.atomic
def _archive(event_id: int, now: datetime) -> bool:
    """The epoch is cleared last: until then each tick tries again, as after a crash."""
    queue = free_queue_for_update(event_id)
    if queue is None or queue.state != SaleQueue.State.CLOSED:
        return False
    if store.journal_entries(event_id, 1):
        return False
    for entries in store.batched(_closing_entries(queue, now), BATCH):
        QueueJournal.objects.bulk_create(entries)
    store.erase(event_id)
    queue.epoch = ""
    queue.save(update_fields=["epoch"])
    return True


def _closing_entries(queue: SaleQueue, now: datetime) -> Iterator[QueueJournal]:
    """A closing entry for everybody who was still in the line or inside."""
    return (
        QueueJournal(
            event_id=queue.pk,
            entry=f"{queue.epoch}:closed:{last.person}",
            at=now,
            person=last.person,
            kind=Kind.CLOSED,
            number=last.number,
        )
        for last in last_entries(queue.pk)
        if last.kind not in ENDINGS
    )
