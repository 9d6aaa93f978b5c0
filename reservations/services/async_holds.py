"""Processes asynchronous hold requests in order of arrival for each seat.

PostgreSQL keeps the order; Celery only wakes a worker. When a worker dies, another takes over after
the lease. A hold and the end of its request are one transaction, so nothing is done twice.
"""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from reservations import gate, locks
from reservations.errors import SeatsBusy, SeatsTaken, TakenSeat
from reservations.live.hold_requests import publish_requests
from reservations.locks import SeatChoice, request_for_update
from reservations.models import HoldRequest, RequestedSeat
from reservations.services.holds import reserve_seats
from ticketing.core.errors import Broken, DomainError
from waiting_queue.services import Turn

State = HoldRequest.State
BATCH = 20
LEASE = timedelta(seconds=30)
# A request that fails with an unexpected error is repeated for so long, at this interval.
PATIENCE, RETRY = timedelta(seconds=20), timedelta(seconds=2)
# Shorter than a buyer waits: a locked row must not delay the requests for other seats, and the
# request is claimed again.
WAIT_MS = 500
log = logging.getLogger(__name__)


def process_hold_requests(*, now: datetime) -> int:
    """Fulfil or refuse the next requests; how many there were."""
    lease = now + LEASE
    claimed = locks.claim_requests(now=now, lease=lease, batch=BATCH)
    if claimed:
        publish_requests(HoldRequest.objects.filter(pk__in=claimed))
    for request_id in claimed:
        try:
            _process(request_id, lease, now)
        except Exception:
            log.exception("hold request %s failed", request_id)
            connection.close_if_unusable_or_obsolete()
            _postpone(request_id, lease, now)
    return len(claimed)


@transaction.atomic
def _process(request_id: int, lease: datetime, now: datetime) -> None:
    request = request_for_update(request_id)
    if request.state != State.PROCESSING or request.leased_until != lease:
        return  # the lease ended, and another worker took the request over
    choice = SeatChoice("seats", len(request.seats), request.seats)
    order: Any = {"event_id": request.event_id, "fan_id": request.fan_id, "choice": choice}
    order |= {"key": request.key or f"request {request.code}", "now": now, "wait_ms": WAIT_MS}
    order |= {"turn": Turn(party=request.party)}
    try:
        with transaction.atomic():  # a refusal rolls back the hold, not the request
            held = reserve_seats(**order)
    except SeatsBusy:
        _move(request, State.PENDING)
    except DomainError as refusal:
        request.refusal = {"code": refusal.code, "details": refusal.details}
        _finish(request, State.FAILED, now)
        if isinstance(refusal, SeatsTaken):  # also by somebody who did not wait here
            _refuse_others(request.event_id, refusal, now)
    else:
        request.reservation = held.reservation
        _finish(request, State.SUCCESS, now)
        until = held.reservation.deadline
        ours = [TakenSeat(seat, "held", until) for seat in request.seats]
        _refuse_others(request.event_id, SeatsTaken.because(ours), now)


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
    _forget_wanted(request.event_id, request.seats)
    _move(request, state)


def _move(request: HoldRequest, state: State) -> None:
    request.move_to(state)
    request.leased_until = None
    request.save()
    transaction.on_commit(lambda: publish_requests([request]), robust=True)


def _refuse_others(event_id: int, refusal: SeatsTaken, now: datetime) -> None:
    """Nobody who waits for these seats can have them; however many wait, in one statement."""
    if refused := locks.refuse_waiting_requests(taken=refusal.details["taken"], now=now):
        seats = {seat for request in refused for seat in request.seats}
        _forget_wanted(event_id, seats)
        transaction.on_commit(lambda: publish_requests(refused), robust=True)


def _forget_wanted(event_id: int, seats: Collection[int]) -> None:
    """After the commit, others may attempt to hold those of the seats that nobody waits for."""
    waiting = RequestedSeat.objects.filter(seat_id__in=seats).values_list("seat_id", flat=True)
    if idle := set(seats) - set(waiting.distinct().order_by()):
        transaction.on_commit(lambda: gate.forget_wanted(event_id, idle), robust=True)
