"""Holding seats: named ones, the best, or places of a standing section; all or none."""

import asyncio
from datetime import datetime
from random import uniform
from time import sleep
from typing import Any

from reservations import errors, gate, locks, selectors
from reservations.locks import HoldResult, SeatChoice
from reservations.models import Reservation, new_code
from reservations.selectors import ReservationWithSeats
from reservations.services.lane_seats import arequire_turn, require_turn
from reservations.services.releases import publish_ended, record_run_outs
from reservations.services.seat_updates import apublish_held, publish_held
from ticketing.core.errors import DomainError, NotFound
from ticketing.core.fast_path.threads import acached, in_thread
from waiting_queue.errors import PassElsewhere
from waiting_queue.services import OPEN_SALE, PassProof, Turn

# Concurrent buyers may skip each other's locked rows and miss free seats, so look again.
ATTEMPTS = 4
PAUSE_SECONDS = 0.02


def hold_seats(
    *,
    event_id: int,
    choice: SeatChoice,
    fan_id: int,
    now: datetime,
    key: str = "",
    proof: PassProof | None = None,
) -> ReservationWithSeats:
    """Hold the chosen seats for the fan, all or none."""
    turn = require_turn(event_id, fan_id, choice, now, proof)
    gate.begin_attempt(event_id, fan_id, choice.seats, now)
    return reserve_or_abandon(event_id, fan_id, choice, key, now, turn)


async def ahold_seats(
    *,
    event_id: int,
    choice: SeatChoice,
    fan_id: int,
    now: datetime,
    key: str = "",
    proof: PassProof | None = None,
) -> ReservationWithSeats:
    """The same for coroutines, without a thread, unless an expired hold is in the way."""
    turn = await arequire_turn(event_id, fan_id, choice, now, proof)
    await gate.abegin_attempt(event_id, fan_id, choice.seats, now)
    return await areserve_or_abandon(event_id, fan_id, choice, key, now, turn)


def reserve_or_abandon(
    event_id: int, fan_id: int, choice: SeatChoice, key: str, now: datetime, turn: Turn
) -> ReservationWithSeats:
    """Reserve after passing the gate; a failure opens the gate again."""
    order: Any = {"event_id": event_id, "fan_id": fan_id, "choice": choice, "key": key, "now": now}
    try:
        return reserve_seats(**order, turn=turn)
    except Exception as refusal:
        if choice.seats:
            gate.abandon_attempt(event_id, fan_id, choice.seats, now, taken=_taken(refusal))
        raise


async def areserve_or_abandon(
    event_id: int, fan_id: int, choice: SeatChoice, key: str, now: datetime, turn: Turn
) -> ReservationWithSeats:
    """The same for coroutines."""
    try:
        return await _areserve_seats(event_id, fan_id, choice, key, now, turn)
    except Exception as refusal:
        if choice.seats:
            taken = _taken(refusal)
            await gate.aabandon_attempt(event_id, fan_id, choice.seats, now, taken=taken)
        raise


def reserve_seats(
    *,
    event_id: int,
    fan_id: int,
    choice: SeatChoice,
    key: str,
    now: datetime,
    turn: Turn = OPEN_SALE,
    wait_ms: int | None = None,
) -> ReservationWithSeats:
    """Let PostgreSQL decide, whatever Redis says; published to everybody after the commit."""
    if orphans := selectors.forbidden_orphans(event_id, choice.seats):
        raise errors.LeavesOrphan(seats=orphans)
    order: Any = {"event_id": event_id, "fan_id": fan_id, "choice": choice, "key": key, "now": now}
    order |= {"turn": turn, "wait_ms": wait_ms}
    for attempt in range(ATTEMPTS):
        result = locks.hold_seats(**order, code=(code := new_code()))
        if result.stale:
            _end_stale(result, now)
        elif result.status == "busy":
            sleep(_pause(attempt))
        else:
            break
    if result.status == "earlier":
        return selectors.reservation_with_seats(result.id)
    if result.status == "taken":
        raise errors.SeatsTaken.because(selectors.taken_seats(result.taken))
    hold = _new_hold(event_id, fan_id, choice, code, key, result, now, turn)
    seats = [seat["id"] for seat in hold.seats]
    publish_held(event_id=event_id, fan_id=fan_id, seats=seats, until=result.deadline)
    return hold


async def _areserve_seats(
    event_id: int, fan_id: int, choice: SeatChoice, key: str, now: datetime, turn: Turn
) -> ReservationWithSeats:
    if bool(choice.seats) and await acached(selectors.forbids_orphans, event_id):
        orphans = await in_thread(selectors.forbidden_orphans, event_id, choice.seats)
        if orphans:
            raise errors.LeavesOrphan(seats=orphans)
    order: Any = {"event_id": event_id, "fan_id": fan_id, "choice": choice, "key": key, "now": now}
    for attempt in range(ATTEMPTS):
        result = await locks.ahold_seats(**order, turn=turn, code=(code := new_code()))
        if result.stale:
            await in_thread(_end_stale, result, now)
        elif result.status == "busy":
            await asyncio.sleep(_pause(attempt))
        else:
            break
    if result.status == "earlier":
        return await in_thread(selectors.reservation_with_seats, result.id)
    if result.status == "taken":
        raise errors.SeatsTaken.because(await in_thread(selectors.taken_seats, result.taken))
    hold = _new_hold(event_id, fan_id, choice, code, key, result, now, turn)
    await apublish_held(
        event_id=event_id,
        fan_id=fan_id,
        seats=[seat["id"] for seat in hold.seats],
        until=result.deadline,
    )
    return hold


def _end_stale(result: HoldResult, now: datetime) -> None:
    ended = locks.expire_holds(now=now, batch=len(result.stale), ids=result.stale)
    for hold in ended:
        publish_ended(hold, now=now)
    record_run_outs(ended)


def _pause(attempt: int) -> float:
    return uniform(0, PAUSE_SECONDS) * attempt  # noqa: S311 - spreads retries


def _taken(refusal: Exception) -> dict[int, str]:
    """Why which seats are taken, for the gate."""
    reasons = refusal.details["taken"] if isinstance(refusal, errors.SeatsTaken) else []
    return {reason["seat"]: reason["why"] for reason in reasons}


def _refusal(result: HoldResult, choice: SeatChoice) -> DomainError:
    match result.status, choice.kind:
        case "no_event", _:
            return NotFound()
        case "elsewhere", _:
            return PassElsewhere()
        case "too_many", _:
            left = max(result.seats_per_person - result.mine, 0)
            return errors.TooManySeats(limit=result.seats_per_person, left=left)
        case "companion_alone", _:
            return errors.CompanionAlone()
        case "not_on_sale", _:
            return errors.NotOnSale()
        case _, "best":
            return errors.NotTogether(quantity=choice.quantity)
        case _, "places":
            return errors.NotEnoughPlaces(quantity=choice.quantity)
    return errors.SeatsOfAnotherEvent()


def _new_hold(
    event_id: int,
    fan_id: int,
    choice: SeatChoice,
    code: str,
    key: str,
    result: HoldResult,
    now: datetime,
    turn: Turn,
) -> ReservationWithSeats:
    """The new reservation, built from what was written instead of read again, or the refusal."""
    if result.status != "held":
        raise _refusal(result, choice)
    reservation = Reservation(
        id=result.id,
        code=code,
        event_id=event_id,
        fan_id=fan_id,
        created_at=now,
        deadline=result.deadline,
        total=result.total,
        currency=result.currency,
        key=key,
        party=turn.party,
    )
    reservation._state.adding = False
    return ReservationWithSeats(reservation, result.seats, is_new=True)
