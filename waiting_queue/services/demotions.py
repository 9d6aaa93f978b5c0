"""Demotions: operators and the system move people to the end of the line, one or a whole group.

The audit rows are committed first and Redis changed after them. If Redis or this process fails in
between, `reconcile_demotions` carries them out: a batch is named by its time, and a repeat of it
moves nobody twice.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from ticketing.accounts.models import User
from waiting_queue import errors, store
from waiting_queue.locks import free_queue_for_update, queue_for_update
from waiting_queue.models import QueueChange, QueueJournal
from waiting_queue.selectors.tick_queues import started_events
from waiting_queue.services.audit_log import (
    DEMOTED,
    RESTORED,
    about_person,
    demoted_people,
    last_changes,
    people_of_groups,
    record_change,
)
from waiting_queue.services.people import grant_open_appeal, require_reason
from waiting_queue.store import Standing

# People who are moved in one step: a few milliseconds of Redis.
BATCH = 500
MOVABLE = frozenset({"waiting", "ready"})


def demote(*, event_id: int, person: str, by: User | None, why: str, now: datetime) -> None:
    """Move somebody to the end of the line; they read the reason and may appeal."""
    if not demote_people(event_id=event_id, people=[person], by=by, why=why, now=now):
        raise errors.PersonNotInLine()


def demote_people(
    *,
    event_id: int,
    people: Sequence[str],
    by: User | None,
    why: str,
    now: datetime,
    once: bool = False,
) -> list[str]:
    """Move everybody of a group who waits or was called to the end; return who was moved.

    They keep their order among each other. `once` leaves out whom the system moved before.
    """
    require_reason(why)
    with transaction.atomic():
        queue = queue_for_update(event_id)
        if not queue.epoch:
            raise errors.QueueNotBegun()
        known = people_of_groups(event_id, DEMOTED) if once else ()
        present = movable_places(event_id, [it for it in people if it not in known], now)
        QueueChange.objects.bulk_create(
            QueueChange(
                queue=queue,
                at=now,
                by=by,
                what=about_person(person),
                before=str(standing.number),
                after=DEMOTED,
                why=why,
            )
            for person, standing in present.items()
        )
    return _move_to_end(event_id, list(present), batch=store.ms(now), why=why, now=now)


def undo_demotion(
    *, event_id: int, person: str, by: User | None, why: str = "", now: datetime
) -> None:
    """Give a demoted person their old number back, and close their open appeal."""
    with transaction.atomic():
        queue = queue_for_update(event_id)
        if person not in demoted_people(event_id):
            raise errors.PersonNotDemoted()
        what = about_person(person)
        record_change(queue, by=by, now=now, what=what, before=DEMOTED, after=RESTORED, why=why)
        grant_open_appeal(queue, person, by=by, why=why, now=now)
    store.run(store.undo_demotion(event_id, person, now))


def reconcile_demotions(*, now: datetime) -> int:
    """Make the demotions in Redis those of the audit log; return how many were wrong."""
    known = store.demotions_of_each(started_events())
    true = last_changes(known, DEMOTED, RESTORED)
    wrong = [event_id for event_id in known if known[event_id].keys() != true[event_id].keys()]
    return sum(_reconcile(event_id, now) for event_id in wrong)


@transaction.atomic
def _reconcile(event_id: int, now: datetime) -> int:
    """Under the lock of the queue, so that nobody is demoted or restored meanwhile."""
    if free_queue_for_update(event_id) is None:
        return 0
    known, true = store.demotions(event_id), demoted_people(event_id)
    missing = [person for person in true if person not in known]
    for person in missing:
        change = true[person]
        _move_to_end(event_id, [person], batch=store.ms(change.at), why=change.why, now=now)
    restored = known.keys() - true.keys()
    for person in restored:
        store.run(store.undo_demotion(event_id, person, now))
    return len(missing) + len(restored)


def restore_demotions(event_id: int) -> None:
    """Write the demotions of a line that is being rebuilt: its people have their numbers again."""
    demoted = demoted_people(event_id)
    entries = QueueJournal.objects.filter(event_id=event_id, kind=QueueJournal.Kind.DEMOTED)
    entries = entries.filter(person__in=map(int, demoted)).order_by("id")
    numbers = {str(person): number for person, number in entries.values_list("person", "number")}
    known = {
        person: f"{change.before}:{store.ms(change.at)}:{numbers[person]}:{change.why}"
        for person, change in demoted.items()
        if person in numbers  # others were to be moved when Redis was lost: they will be
    }
    store.restore_demotions(event_id, known)


def movable_places(event_id: int, people: Sequence[str], now: datetime) -> dict[str, Standing]:
    """Return those who have a place that can be taken, in order of their numbers."""
    found: dict[str, Standing] = {}
    for part in store.batched(dict.fromkeys(people), BATCH):
        standings = store.run_all([store.peek(event_id, person, now) for person in part])
        found |= zip(part, standings, strict=True)
    movable = {person: place for person, place in found.items() if place.state in MOVABLE}
    return dict(sorted(movable.items(), key=lambda item: item[1].number))


def _move_to_end(
    event_id: int, people: Sequence[str], *, batch: int, why: str, now: datetime
) -> list[str]:
    moved: list[str] = []
    for part in store.batched(people, BATCH):
        done = store.run(store.demote(event_id, part, batch=str(batch), why=why, now=now))
        moved.extend(done)
    return moved
