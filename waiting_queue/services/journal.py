"""The journal: copied from Redis to PostgreSQL, and used to rebuild a line that Redis lost."""

import logging
import secrets
from collections import defaultdict
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Count, Max

from waiting_queue import store
from waiting_queue.locks import free_queue_for_update, queue_for_update
from waiting_queue.models import QueueDraw, QueueJournal, SaleQueue
from waiting_queue.services.audit_log import blocked_people
from waiting_queue.services.rules import is_drawing, rules_of

log = logging.getLogger(__name__)
BATCH = 5_000
# More than can be given between two copies of the journal: numbers that were given and lost with
# Redis are not given again. Ranks don't count gaps.
MAX_LOST_NUMBERS = 100_000
Kind = QueueJournal.Kind
ENDINGS = {Kind.COMPLETED: 0, Kind.LEFT: 1, Kind.EXPIRED: 2, Kind.BLOCKED: 3, Kind.CLOSED: 4}


def drain_journals(*, batches: int = 10) -> int:
    """Copy the journal of every started queue into the database; return the number of entries."""
    started = SaleQueue.objects.exclude(epoch="").values_list("pk", flat=True)
    filled = store.events_with_journal(list(started))
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
    rows = [_row(queue, entry, fields) for entry, fields in entries]
    QueueJournal.objects.bulk_create(rows, ignore_conflicts=True)
    return [entry for entry, _ in entries]


def _row(queue: SaleQueue, entry: str, fields: dict[str, str]) -> QueueJournal:
    return QueueJournal(
        event_id=queue.pk,
        entry=f"{queue.epoch}:{entry}",
        at=datetime.fromtimestamp(int(fields["t"]) / 1000, UTC),
        person=int(fields["p"]),
        kind=fields["k"],
        number=int(fields["n"]),
    )


def rebuild_queue(*, event_id: int, now: datetime) -> int | None:
    """Rebuild a line from the journal, everybody with their number; return how many people.

    The line's metadata is removed first and written last. Without it nobody can join, so no entry
    is lost in between. None if another worker has rebuilt it meanwhile.
    """
    store.delete_meta(event_id)
    while drain_journal(event_id=event_id, wait=True):
        pass
    return _restore(event_id, now)


@transaction.atomic
def _restore(event_id: int, now: datetime) -> int | None:
    queue = queue_for_update(event_id)
    if store.has_meta(event_id) or store.journal_entries(event_id, 1):
        return None
    store.erase(event_id)
    people = last_entries(event_id)
    places, marks = places_of(queue, people, now)
    store.restore(event_id, places, marks, highest_number(event_id) + MAX_LOST_NUMBERS)
    store.restore_blocks(event_id, blocked_people(event_id))
    for name in ("lobby", "line", "ready", "inside"):
        store.add_memberships(event_id, places[name], now)
    queue.epoch = secrets.token_urlsafe(9)
    queue.save(update_fields=["epoch"])
    rules = rules_of(queue, drawing=is_drawing(event_id))
    store.run(store.configure(event_id, rules, now, new=True))
    store.restore_counts(event_id, counts_of(event_id))
    log.warning("queue %s: rebuilt from the journal, %s people", event_id, len(people))
    return len(people)


def last_entries(event_id: int) -> list[QueueJournal]:
    """Return the last journal entry of each person."""
    entries = QueueJournal.objects.filter(event_id=event_id).order_by("person", "-id")
    return list(entries.distinct("person"))


def highest_number(event_id: int) -> int:
    """Return the last number given, or reserved for a draw that is not finished."""
    entries = QueueJournal.objects.filter(event_id=event_id)
    given = entries.aggregate(Max("number"))["number__max"] or 0
    draw = QueueDraw.objects.filter(pk=event_id).first()
    reserved = draw.first_number + len(draw.people or []) - 1 if draw else 0
    return max(given, reserved)


def counts_of(event_id: int) -> dict[str, int]:
    """Return how many people have joined, been admitted and ended in each way so far."""
    entries = QueueJournal.objects.filter(event_id=event_id).order_by()
    by_kind = dict(entries.values_list("kind").annotate(Count("pk")))
    drawn = QueueDraw.objects.filter(pk=event_id).exclude(people=None).first()
    if drawn:  # people drawn from the lobby have two entries, but joined once
        numbers = (drawn.first_number, drawn.first_number + len(drawn.people or []) - 1)
        lobby_joins = entries.filter(kind=Kind.JOIN, number__range=numbers).count()
    else:
        lobby_joins = 0
    joined = by_kind.get(Kind.LOBBY, 0) + by_kind.get(Kind.JOIN, 0) - lobby_joins
    ends = {str(name): by_kind.get(name, 0) for name in ENDINGS}
    return {"joined": joined, "admitted": by_kind.get(Kind.ADMIT, 0), **ends}


def places_of(
    queue: SaleQueue, people: list[QueueJournal], now: datetime
) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Return the sorted sets and the marks to restore.

    Calls and passes start anew, so that nobody loses time to the outage.
    """
    places: dict[str, dict[str, float]] = defaultdict(dict)
    marks: dict[str, str] = {}
    claim_until = store.ms(now + timedelta(seconds=queue.claim_seconds))
    pass_until = store.ms(now + timedelta(seconds=queue.pass_seconds))
    for entry in people:
        person, at = str(entry.person), store.ms(entry.at)
        match entry.kind:
            case Kind.LOBBY:
                places["lobby"][person] = at
                places["seen"][person] = store.ms(now)
            case Kind.JOIN:
                places["line"][person] = entry.number
                places["seen"][person] = store.ms(now)
            case Kind.READY:
                places["ready"][person] = claim_until
                marks[person] = f"{entry.number}:0"
            case Kind.ADMIT:
                places["inside"][person] = pass_until
                marks[person] = f"{entry.number}:{at}"
            case ended:
                places["ended"][person] = at * 8 + ENDINGS[Kind(ended)]
    return places, marks


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
    QueueJournal.objects.bulk_create(_closing_entries(queue, now), batch_size=BATCH)
    store.erase(event_id)
    queue.epoch = ""
    queue.save(update_fields=["epoch"])
    return True


def _closing_entries(queue: SaleQueue, now: datetime) -> list[QueueJournal]:
    """Return a closing entry for everybody who was still in the line or inside."""
    return [
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
    ]
