"""Seats go back on sale: released by the fan or an operator, or because the hold expired."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

from django.db import transaction

from reservations import locks, selectors
from reservations.locks import reservation_for_update, seats_of_reservation_for_update
from reservations.models import Reservation, ReservationChange, StandbyEntry
from reservations.services.seat_updates import publish_returned
from ticketing.accounts.models import User
from ticketing.events.selectors import public_event
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queue
from waiting_queue.errors import NoQueue, QueueNotOpen, QueueOver

State = Reservation.State
ENDED = frozenset({State.RELEASED, State.EXPIRED})
BATCH = 200
# Per call; the task runs again in a few seconds.
MAX_BATCHES = 50


@transaction.atomic
def release(*, event_id: int, code: str, fan_id: int, now: datetime) -> Reservation:
    """Give the fan's seats back; a repeat changes nothing."""
    reservation = reservation_for_update(code.upper(), event_id=event_id, fan_id=fan_id)
    if reservation.state in ENDED:
        return reservation
    return end_reservation(reservation, to=State.RELEASED, now=now)


@transaction.atomic
def release_by_operator(*, code: str, by: User | None, why: str, now: datetime) -> Reservation:
    """Take held seats back on behalf of an operator, with a reason."""
    reservation = reservation_for_update(code)
    before = reservation.state
    end_reservation(reservation, to=State.RELEASED, now=now)
    ReservationChange.objects.create(
        reservation=reservation, at=now, by=by, before=before, after=State.RELEASED, why=why[:200]
    )
    return reservation


def leave(*, event_id: int, fan_id: int, now: datetime) -> int:
    """Release all of the fan's holds and leave the queue, if any; how many were released."""
    public_event(event_id)
    held = selectors.own_reservations_in(event_id, fan_id, [State.HELD])
    codes = list(held.order_by("pk").values_list("code", flat=True))
    for code in codes:
        release(event_id=event_id, code=code, fan_id=fan_id, now=now)
    with suppress(NoQueue, QueueNotOpen, QueueOver), queue.explain_no_line(event_id):
        queue.leave(event_id=event_id, person=str(fan_id), now=now)
    return len(codes)


def release_abandoned_holds(*, now: datetime) -> int:
    """Release the holds of fans who left the queue, or were removed from it."""
    abandoned = selectors.abandoned_holds().values_list("event_id", "code", "fan_id")[:BATCH]
    for event_id, code, fan_id in abandoned:
        release(event_id=event_id, code=code, fan_id=fan_id, now=now)
    return len(abandoned)


def complete_finished_passes(*, now: datetime) -> int:
    """Complete the pass of everybody inside who has bought; return how many.

    A purchase does so itself. This is for those of whom Redis did not hear, because it was down or
    lost its data: their places would stay taken until their passes end.
    """
    count = 0
    for event_id, since in queue_selectors.people_inside().items():
        for person in selectors.bought_since(event_id=event_id, since=since):
            queue.complete(event_id=event_id, person=person, now=now)
            count += 1
    return count


def mark_people_at_limit() -> None:
    """Tell every running queue who has as many seats as a person may have, so that they can't join.

    A purchase that reaches the limit says so itself, at once; this is for all other ways.
    """
    events = [line.event for line in queue_selectors.running_queues()]
    find_people = partial(selectors.people_at_limit, events)
    queue.mark_at_limit(event_ids=[event.pk for event in events], find_people=find_people)


def expire_holds(*, now: datetime, batch: int = BATCH) -> int:
    """End every expired hold, in batches; concurrent calls share the work."""
    count = 0
    for _ in range(MAX_BATCHES):
        ended = locks.expire_holds(now=now, batch=batch)
        for hold in ended:
            publish_ended(hold, now=now)
        record_run_outs(ended)
        count += len(ended)
        if len(ended) < batch:
            break
    return count


def end_reservation(reservation: Reservation, *, to: State, now: datetime) -> Reservation:
    """End a locked reservation; its seats become available or are kept for the standby list."""
    reservation.move_to(to)
    seats = [seat.pk for seat in seats_of_reservation_for_update(reservation)]
    reservation.ended_at = now
    reservation.save(update_fields=["state", "ended_at"])
    kept = locks.return_seats(event_id=reservation.event_id, seats=seats, now=now)
    whose = {"event_id": reservation.event_id, "fan_id": reservation.fan_id}
    publish_returned(**whose, seats=seats, now=now, kept=kept)
    return reservation


def record_run_outs(ended: Sequence[locks.EndedHold]) -> None:
    """Count them against who let them run out; seats that were offered to somebody don't count."""
    entries = StandbyEntry.objects.filter(reservation_id__in=[hold.id for hold in ended])
    offered = set(entries.values_list("reservation_id", flat=True)) if ended else ()
    people = defaultdict[int, list[int]](list)
    for hold in ended:
        if hold.id not in offered:
            people[hold.event_id].append(hold.fan_id)
    for event_id, fans in people.items():
        queue.record_run_outs(event_id=event_id, people=fans)


def publish_ended(hold: locks.EndedHold, *, now: datetime) -> None:
    whose = {"event_id": hold.event_id, "fan_id": hold.fan_id}
    publish_returned(**whose, seats=hold.seats, now=now, kept=hold.kept)
