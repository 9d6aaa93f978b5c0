"""Asynchronous holds: taken down at once, fulfilled in order of arrival for each seat.

The order is in PostgreSQL; Celery only wakes a worker up. A worker that dies leaves its lease
behind, and another goes on; a hold and the end of its request are one transaction, so that nothing
is done twice.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from celery import current_app
from django.db import IntegrityError, transaction

from reservations import gate, locks
from reservations.errors import SeatsBusy
from reservations.locks import SeatChoice, request_for_update
from reservations.models import HoldRequest, RequestedSeat
from reservations.selectors import Hold
from reservations.services.holding import decide
from reservations.signals import request_moved
from ticketing.core.errors import DomainError
from waiting_queue import services as queue

State = HoldRequest.State
BATCH = 20
LEASE = timedelta(seconds=30)
TASK, QUEUE = "reservations.work_off_requests", "holds"


def request_seats(
    *, event_id: int, seat_ids: Collection[int], fan_id: int, now: datetime, key: str = ""
) -> HoldRequest:
    """Take a wish down. Nothing is held yet; the same key is the same request."""
    queue.require_turn(event_id=event_id, person=str(fan_id), now=now)
    gate.enter(event_id, fan_id, [], now)
    whose = {"event_id": event_id, "fan_id": fan_id}
    if key and (earlier := HoldRequest.objects.filter(**whose, key=key).first()):
        return earlier
    try:
        return _taken_down(
            HoldRequest(**whose, key=key, seats=sorted(set(seat_ids)), created_at=now)
        )
    except IntegrityError:  # the same key, at the same moment
        return HoldRequest.objects.get(**whose, key=key)


def work_off_requests(*, now: datetime) -> int:
    """Fulfil or refuse the next requests; how many there were."""
    lease = now + LEASE
    claimed = locks.claim_requests(now=now, lease=lease, batch=BATCH)
    if claimed:
        _tell(HoldRequest.objects.filter(pk__in=claimed))
    for request_id in claimed:
        _settle(request_id, lease, now)
    return len(claimed)


@transaction.atomic
def _taken_down(request: HoldRequest) -> HoldRequest:
    request.save(force_insert=True)
    RequestedSeat.objects.bulk_create(
        RequestedSeat(request=request, seat_id=seat) for seat in request.seats
    )
    transaction.on_commit(wake_a_worker, robust=True)
    return request


def wake_a_worker() -> None:
    """At most a few times a second, however many ask; the clock wakes one every second, too."""
    if gate.is_first_to_wake():
        current_app.send_task(TASK, queue=QUEUE, expires=LEASE.seconds, ignore_result=True)


@transaction.atomic
def _settle(request_id: int, lease: datetime, now: datetime) -> None:
    request = request_for_update(request_id)
    if request.state != State.PROCESSING or request.leased_until != lease:
        return  # another worker took it for dead work, and did it
    try:
        held = _hold(request, now)
    except SeatsBusy:
        _move(request, State.PENDING)
    except DomainError as refusal:
        request.refusal = {"code": refusal.code, "details": refusal.details}
        _finish(request, State.FAILED, now)
    else:
        request.reservation = held.reservation
        _finish(request, State.SUCCESS, now)
        _refuse_the_rest(request, now)


@transaction.atomic
def _hold(request: HoldRequest, now: datetime) -> Hold:
    """A transaction within the other: a refusal leaves the request as it was."""
    choice = SeatChoice("seats", len(request.seats), request.seats)
    whose = {"event_id": request.event_id, "fan_id": request.fan_id}
    return decide(**whose, choice=choice, key=f"request {request.code}", now=now)


def _finish(request: HoldRequest, state: State, now: datetime) -> None:
    request.finished_at = now
    request.turns.all().delete()
    _move(request, state)


def _move(request: HoldRequest, state: State) -> None:
    request.move_to(state)
    request.leased_until = None
    request.save()
    transaction.on_commit(lambda: _tell([request]), robust=True)


def _refuse_the_rest(request: HoldRequest, now: datetime) -> None:
    if late := locks.refuse_the_rest(seats=request.seats, now=now):
        moved = HoldRequest.objects.filter(pk__in=late)
        transaction.on_commit(lambda: _tell(moved), robust=True)


def _tell(requests: Iterable[HoldRequest]) -> None:
    """Read only if anybody listens: there may be thousands."""
    for request in requests if request_moved.has_listeners(HoldRequest) else ():
        request_moved.send(HoldRequest, request=request)
