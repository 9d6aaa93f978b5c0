"""Asynchronous holds: accepted at once, processed in order of arrival for each seat.

PostgreSQL keeps the order; Celery only wakes a worker. When a worker dies, another takes over after
the lease. A hold and the end of its request are one transaction, so nothing is done twice.
"""

import logging
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from celery import current_app
from django.db import IntegrityError, connection, transaction

from reservations import gate, locks
from reservations.errors import SeatsBusy
from reservations.live.hold_requests import publish_request
from reservations.locks import SeatChoice, request_for_update
from reservations.models import HoldRequest, RequestedSeat
from reservations.services.holds import reserve_seats
from ticketing.core.errors import Broken, DomainError
from waiting_queue import services as queue

State = HoldRequest.State
BATCH = 20
LEASE = timedelta(seconds=30)
# A request that fails with an unexpected error is repeated for so long, at this interval.
PATIENCE, RETRY = timedelta(seconds=20), timedelta(seconds=2)
log = logging.getLogger(__name__)
TASK, QUEUE = "reservations.process_hold_requests", "holds"


def request_hold(
    *, event_id: int, seat_ids: Collection[int], fan_id: int, now: datetime, key: str = ""
) -> HoldRequest:
    """Accept a request for seats. Nothing is held yet; the same key finds the same request."""
    queue.require_turn(event_id=event_id, person=str(fan_id), now=now)
    gate.begin_attempt(event_id, fan_id, [], now)
    whose = {"event_id": event_id, "fan_id": fan_id}
    if key and (earlier := HoldRequest.objects.filter(**whose, key=key).first()):
        return earlier
    try:
        return _create(HoldRequest(**whose, key=key, seats=sorted(set(seat_ids)), created_at=now))
    except IntegrityError:  # the same key at the same moment
        return HoldRequest.objects.get(**whose, key=key)


def process_hold_requests(*, now: datetime) -> int:
    """Fulfil or refuse the next requests; how many there were."""
    lease = now + LEASE
    claimed = locks.claim_requests(now=now, lease=lease, batch=BATCH)
    if claimed:
        _publish_all(HoldRequest.objects.filter(pk__in=claimed))
    for request_id in claimed:
        try:
            _process(request_id, lease, now)
        except Exception:
            log.exception("hold request %s failed", request_id)
            connection.close_if_unusable_or_obsolete()
            _postpone(request_id, lease, now)
    return len(claimed)


@transaction.atomic
def _create(request: HoldRequest) -> HoldRequest:
    request.save(force_insert=True)
    RequestedSeat.objects.bulk_create(
        RequestedSeat(request=request, seat_id=seat) for seat in request.seats
    )
    transaction.on_commit(wake_worker, robust=True)
    return request


def wake_worker() -> None:
    """Start the task, at most a few times a second; the schedule starts it every second, too."""
    if gate.claim_wake_up():
        current_app.send_task(TASK, queue=QUEUE, expires=LEASE.seconds, ignore_result=True)


@transaction.atomic
def _process(request_id: int, lease: datetime, now: datetime) -> None:
    request = request_for_update(request_id)
    if request.state != State.PROCESSING or request.leased_until != lease:
        return  # the lease ended, and another worker took the request over
    choice = SeatChoice("seats", len(request.seats), request.seats)
    whose = {"event_id": request.event_id, "fan_id": request.fan_id}
    try:
        with transaction.atomic():  # a refusal rolls back the hold, not the request
            held = reserve_seats(**whose, choice=choice, key=f"request {request.code}", now=now)
    except SeatsBusy:
        _move(request, State.PENDING)
    except DomainError as refusal:
        request.refusal = {"code": refusal.code, "details": refusal.details}
        _finish(request, State.FAILED, now)
    else:
        request.reservation = held.reservation
        _finish(request, State.SUCCESS, now)
        _refuse_others(request, now)


@transaction.atomic
def _postpone(request_id: int, lease: datetime, now: datetime) -> None:
    """After an unexpected error: try again soon; in the end refuse, so that the next get a turn."""
    request = request_for_update(request_id)
    if request.state != State.PROCESSING or request.leased_until != lease:
        return
    if now - request.created_at < PATIENCE:
        request.leased_until = now + RETRY
        request.save()
    else:
        request.refusal = {"code": Broken.code, "details": {}}
        _finish(request, State.FAILED, now)


def _finish(request: HoldRequest, state: State, now: datetime) -> None:
    request.finished_at = now
    request.turns.all().delete()
    _move(request, state)


def _move(request: HoldRequest, state: State) -> None:
    request.move_to(state)
    request.leased_until = None
    request.save()
    transaction.on_commit(lambda: _publish_all([request]), robust=True)


def _refuse_others(request: HoldRequest, now: datetime) -> None:
    if refused := locks.refuse_waiting_requests(seats=request.seats, now=now):
        changed = HoldRequest.objects.filter(pk__in=refused)
        transaction.on_commit(lambda: _publish_all(changed), robust=True)


def _publish_all(requests: Iterable[HoldRequest]) -> None:
    for request in requests:
        publish_request(request)
