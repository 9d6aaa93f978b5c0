"""The journal: Redis tells PostgreSQL what happened, and gets it back if it forgets."""

import logging
import secrets
from collections import defaultdict
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Count, Max

from waiting_queue import store
from waiting_queue.locks import free_queue_for_update
from waiting_queue.models import QueueDraw, QueueJournal, SaleQueue
from waiting_queue.services.changes import blocked_people
from waiting_queue.services.rules import is_drawing, rules_of

log = logging.getLogger(__name__)
BATCH = 5_000
Kind = QueueJournal.Kind
ENDINGS = {Kind.COMPLETED: 0, Kind.LEFT: 1, Kind.EXPIRED: 2, Kind.BLOCKED: 3, Kind.CLOSED: 4}


def drain_journals(*, batches: int = 10) -> int:
    """Copy what happened in every queue into the database."""
    began = SaleQueue.objects.exclude(epoch="").values_list("pk", flat=True)
    return sum(drain_journal(event_id=event_id, batches=batches) for event_id in began)


def drain_journal(*, event_id: int, batches: int = 10) -> int:
    """A crash between copying and forgetting repeats a batch, which changes nothing."""
    drained = 0
    for _ in range(batches):
        count = _drain_batch(event_id)
        drained += count
        if count < BATCH:
            break
    return drained


def _drain_batch(event_id: int) -> int:
    entries = _copy_batch(event_id)
    if entries:
        store.delete_journal_entries(event_id, entries)
    return len(entries)


@transaction.atomic
def _copy_batch(event_id: int) -> list[str]:
    queue = free_queue_for_update(event_id)
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


def rebuild_queue(*, event_id: int, now: datetime) -> int:
    """Restore a line from the journal, everybody with their number. Answers how many people.

    The desk goes first and comes last: in between nobody can join, so nothing is lost on the way.
    """
    store.delete_meta(event_id)
    while drain_journal(event_id=event_id):
        pass
    return _restore(event_id, now)


@transaction.atomic
def _restore(event_id: int, now: datetime) -> int:
    queue = free_queue_for_update(event_id)
    if queue is None or store.has_meta(event_id) or store.journal_entries(event_id, 1):
        return 0  # somebody else is at it, or has done it: the next tick sees how it went
    store.erase(event_id)
    people = last_entries(event_id)
    places, marks = whereabouts(queue, people, now)
    store.restore(event_id, places, marks, highest_number(event_id))
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
    """The last thing that happened to each person."""
    entries = QueueJournal.objects.filter(event_id=event_id).order_by("person", "-id")
    return list(entries.distinct("person"))


def highest_number(event_id: int) -> int:
    """The last number given, or set aside for a draw that is not over."""
    entries = QueueJournal.objects.filter(event_id=event_id)
    given = entries.aggregate(Max("number"))["number__max"] or 0
    draw = QueueDraw.objects.filter(pk=event_id).first()
    set_aside = draw.first_number + len(draw.people or []) - 1 if draw else 0
    return max(given, set_aside)


def counts_of(event_id: int) -> dict[str, int]:
    """How many came, came in and went, since the beginning."""
    entries = QueueJournal.objects.filter(event_id=event_id).order_by()
    by_kind = dict(entries.values_list("kind").annotate(Count("pk")))
    drawn = QueueDraw.objects.filter(pk=event_id).exclude(people=None).first()
    if drawn:  # who came to the lobby came once, and got a number later
        numbers = (drawn.first_number, drawn.first_number + len(drawn.people or []) - 1)
        lobby_joins = entries.filter(kind=Kind.JOIN, number__range=numbers).count()
    else:
        lobby_joins = 0
    joined = by_kind.get(Kind.LOBBY, 0) + by_kind.get(Kind.JOIN, 0) - lobby_joins
    ends = {str(name): by_kind.get(name, 0) for name in ENDINGS}
    return {"joined": joined, "admitted": by_kind.get(Kind.ADMIT, 0), **ends}


def whereabouts(
    queue: SaleQueue, people: list[QueueJournal], now: datetime
) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Where everybody belongs. Calls and passes start anew: the outage was not their fault."""
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
    """A closed queue's journal is complete and nothing of it is left in Redis."""
    while drain_journal(event_id=event_id):
        pass
    return _archive(event_id, now)


@transaction.atomic
def _archive(event_id: int, now: datetime) -> bool:
    """Until the epoch is gone the next tick tries again, so a crash on the way leaves nothing."""
    queue = free_queue_for_update(event_id)
    if queue is None or queue.state != SaleQueue.State.CLOSED:
        return False
    if store.journal_entries(event_id, 1):
        return False
    QueueJournal.objects.bulk_create(_sent_home(queue, now), batch_size=BATCH)
    store.erase(event_id)
    queue.epoch = ""
    queue.save(update_fields=["epoch"])
    return True


def _sent_home(queue: SaleQueue, now: datetime) -> list[QueueJournal]:
    """The end of everybody who was still in the line, or inside, when it closed."""
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
