"""Accepts asynchronous requests for seats; those of one moment share one statement."""

import asyncio
from collections.abc import Collection
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from celery import current_app
from django.db import IntegrityError, transaction

from reservations import gate, sql
from reservations.locks import SeatChoice
from reservations.models import HoldRequest
from reservations.selectors import ReservationWithSeats
from reservations.services.holds import areserve_or_abandon, reserve_or_abandon
from reservations.services.lane_seats import arequire_turn, require_turn
from ticketing.core.batches import Batches
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.sql import arows, rows
from waiting_queue.services import PassProof

MOST_IN_BATCH = 200
TASK, QUEUE, TASK_SECONDS = "reservations.process_hold_requests", "holds", 30


def hold_or_request(
    *,
    event_id: int,
    choice: SeatChoice,
    fan_id: int,
    now: datetime,
    key: str = "",
    proof: PassProof | None = None,
) -> ReservationWithSeats | HoldRequest:
    """Hold the seats, or wait for them in order if others are trying them at this moment."""
    turn = require_turn(event_id, fan_id, choice, now, proof)
    if gate.begin_attempt(event_id, fan_id, choice.seats, now, gate.AUTO):
        return _accept(_new_request(event_id, choice.seats, fan_id, now, key, turn.party))
    return reserve_or_abandon(event_id, fan_id, choice, key, now, turn)


async def ahold_or_request(
    *,
    event_id: int,
    choice: SeatChoice,
    fan_id: int,
    now: datetime,
    key: str = "",
    proof: PassProof | None = None,
) -> ReservationWithSeats | HoldRequest:
    """The same for coroutines."""
    turn = await arequire_turn(event_id, fan_id, choice, now, proof)
    if await gate.abegin_attempt(event_id, fan_id, choice.seats, now, gate.AUTO):
        request = _new_request(event_id, choice.seats, fan_id, now, key, turn.party)
        return await _batches().add(request)
    return await areserve_or_abandon(event_id, fan_id, choice, key, now, turn)


def request_hold(
    *,
    event_id: int,
    seat_ids: Collection[int],
    fan_id: int,
    now: datetime,
    key: str = "",
    proof: PassProof | None = None,
) -> HoldRequest:
    """Accept a request for seats. Nothing is held yet; the same key finds the same request."""
    turn = require_turn(event_id, fan_id, SeatChoice.named(seat_ids), now, proof)
    gate.begin_attempt(event_id, fan_id, list(seat_ids), now, gate.ASYNC)
    return _accept(_new_request(event_id, seat_ids, fan_id, now, key, turn.party))


async def arequest_hold(
    *,
    event_id: int,
    seat_ids: Collection[int],
    fan_id: int,
    now: datetime,
    key: str = "",
    proof: PassProof | None = None,
) -> HoldRequest:
    """The same for coroutines."""
    turn = await arequire_turn(event_id, fan_id, SeatChoice.named(seat_ids), now, proof)
    await gate.abegin_attempt(event_id, fan_id, list(seat_ids), now, gate.ASYNC)
    return await _batches().add(_new_request(event_id, seat_ids, fan_id, now, key, turn.party))


def wake_worker() -> None:
    """Start the task, at most a few times a second; the schedule starts it every second, too."""
    if gate.claim_wake_up():
        current_app.send_task(TASK, queue=QUEUE, expires=TASK_SECONDS, ignore_result=True)


def _new_request(
    event_id: int,
    seat_ids: Collection[int],
    fan_id: int,
    now: datetime,
    key: str,
    party: int | None,
) -> HoldRequest:
    whose: Any = {"event_id": event_id, "fan_id": fan_id, "party": party}
    return HoldRequest(**whose, key=key, seats=sorted(set(seat_ids)), created_at=now)


def _accept(request: HoldRequest) -> HoldRequest:
    accepted = rows(sql.statement("request_holds"), _values([request]))
    transaction.on_commit(lambda: wake_worker(), robust=True)
    return _accepted(request, accepted[0]) if accepted else _earlier(request)


async def _aaccept(batch: list[HoldRequest]) -> list[HoldRequest | Exception]:
    try:
        found = await arows(sql.statement("request_holds"), _values(batch))
    except IntegrityError as error:  # one of them, such as one of a deleted account
        if len(batch) == 1:
            return [error]
        return [answer for request in batch for answer in await _aaccept([request])]
    accepted = {row["code"]: row for row in found}
    answers: list[HoldRequest | Exception] = []
    for request in batch:
        row = accepted.get(request.code)
        answers.append(_accepted(request, row) if row else await in_thread(_earlier, request))
    await in_thread(_wake_or_leave_it)
    return answers


def _wake_or_leave_it() -> None:
    """What is accepted stays so if nobody can be woken: the schedule does it."""
    transaction.on_commit(lambda: wake_worker(), robust=True)


def _values(batch: list[HoldRequest]) -> dict[str, Any]:
    """All as texts, so that one prepared statement serves numbers of every size."""
    return {
        "codes": [request.code for request in batch],
        "events": [str(request.event_id) for request in batch],
        "fans": [str(request.fan_id) for request in batch],
        "keys": [request.key for request in batch],
        "seats": [f"{{{','.join(map(str, request.seats))}}}" for request in batch],
        "times": [request.created_at.isoformat() for request in batch],
        "parties": [str(request.party or "") for request in batch],
    }


def _accepted(request: HoldRequest, row: dict[str, Any]) -> HoldRequest:
    request.pk, request.place = row["id"], row["place"]
    request._state.adding = False
    return request


def _earlier(request: HoldRequest) -> HoldRequest:
    """What the same key made before."""
    whose = {"event_id": request.event_id, "fan_id": request.fan_id, "key": request.key}
    return HoldRequest.objects.select_related("reservation").get(**whose)


# By event loop, because a batch is sent by the loop that gathered it.
_of_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Batches[HoldRequest, HoldRequest]] = (
    WeakKeyDictionary()
)


def _batches() -> Batches[HoldRequest, HoldRequest]:
    loop = asyncio.get_running_loop()
    if loop not in _of_loops:
        _of_loops[loop] = Batches(_aaccept, most=MOST_IN_BATCH)
    return _of_loops[loop]
