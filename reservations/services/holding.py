"""Holding seats: these, the best, or any places of a standing section; all or none."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from random import uniform
from time import sleep
from typing import Any

from reservations import errors, gate, locks, selectors
from reservations.locks import HoldResult, SeatChoice
from reservations.models import Reservation, new_code
from reservations.orphans import seats_left_alone
from reservations.selectors import Hold
from reservations.services.ending import tell_ended
from reservations.services.telling import tell_held
from ticketing.core.errors import DomainError, NotFound
from ticketing.core.fast_path.threads import in_thread
from waiting_queue import services as queue

# Others may have passed over the same seats at the same moment, and left some: look once more.
LOOKS = 4
PAUSE_SECONDS = 0.02
# Enough for everybody who asks in the same moment, few enough to be looked at in a millisecond.
NEAR = 600


def these(seat_ids: Collection[int]) -> SeatChoice:
    """These very seats."""
    return SeatChoice("seats", len(set(seat_ids)), sorted(set(seat_ids)))


def the_best(*, grade: str, quantity: int, accessible: bool = False) -> SeatChoice:
    """So many seats of a grade side by side, the best there are.

    `accessible`: wheelchair places with their companions' seats; others are never given then.
    """
    near = None if accessible else NEAR
    return SeatChoice("best", quantity, grade=grade, accessible=accessible, near=near)


def any_places(*, section: str, quantity: int, grade: str = "") -> SeatChoice:
    """Any places of a standing section: each is a row, so nobody waits for a counter."""
    return SeatChoice("places", quantity, grade=grade, section=section)


def hold(*, event_id: int, choice: SeatChoice, fan_id: int, now: datetime, key: str = "") -> Hold:
    """Hold what is chosen for the fan, all or none."""
    queue.require_turn(event_id=event_id, person=str(fan_id), now=now)
    gate.enter(event_id, fan_id, choice.seats, now)
    return _try(event_id, fan_id, choice, key, now)


async def ahold(
    *, event_id: int, choice: SeatChoice, fan_id: int, now: datetime, key: str = ""
) -> Hold:
    """The same for coroutines: only those who may try take a thread."""
    await queue.arequire_turn(event_id=event_id, person=str(fan_id), now=now)
    await gate.aenter(event_id, fan_id, choice.seats, now)
    return await in_thread(_try, event_id, fan_id, choice, key, now)


def hold_seats(*, seat_ids: Collection[int], **who: Any) -> Hold:
    return hold(choice=these(seat_ids), **who)


def hold_best(*, grade: str, quantity: int, accessible: bool = False, **who: Any) -> Hold:
    choice = the_best(grade=grade, quantity=quantity, accessible=accessible)
    return hold(choice=choice, **who)


def hold_places(*, section: str, quantity: int, grade: str = "", **who: Any) -> Hold:
    return hold(choice=any_places(section=section, quantity=quantity, grade=grade), **who)


def decide(*, event_id: int, fan_id: int, choice: SeatChoice, key: str, now: datetime) -> Hold:
    """What the database says, whatever Redis thought; told to everybody once it is committed."""
    _require_no_orphans(event_id, choice)
    verdict, code = _verdict(event_id, fan_id, choice, key, now)
    if verdict.word == "earlier":
        return selectors.reservation_with_seats(verdict.earlier)
    if verdict.word != "held":
        raise _refusal(verdict, choice)
    seats = [seat["id"] for seat in verdict.seats]
    tell_held(event_id=event_id, fan_id=fan_id, seats=seats, until=verdict.deadline)
    return _held(event_id, fan_id, code, key, verdict, now)


def _try(event_id: int, fan_id: int, choice: SeatChoice, key: str, now: datetime) -> Hold:
    """Past the gate; who fails opens it again."""
    try:
        return decide(event_id=event_id, fan_id=fan_id, choice=choice, key=key, now=now)
    except Exception as refusal:
        taken = refusal.details["seats"] if isinstance(refusal, errors.SeatsTaken) else []
        if choice.seats:
            gate.go_back(event_id, fan_id, choice.seats, now, taken=taken)
        raise


def _verdict(
    event_id: int, fan_id: int, choice: SeatChoice, key: str, now: datetime
) -> tuple[HoldResult, str]:
    """Holds in the way that ran out are cleared away first, then it is decided again."""
    for look in range(LOOKS):
        code = new_code()
        verdict = locks.hold(
            event_id=event_id, fan_id=fan_id, choice=choice, code=code, key=key, now=now
        )
        if verdict.stale:
            expire_these(verdict.stale, now=now)
        elif verdict.word == "missing" and choice.kind != "seats":
            sleep(uniform(0, PAUSE_SECONDS) * look)  # noqa: S311 - spreads tries
            choice = replace(choice, near=None)
        else:
            break
    return verdict, code


def expire_these(ids: Collection[int], *, now: datetime) -> None:
    for ended in locks.expire(now=now, batch=len(ids), ids=list(ids)):
        tell_ended(ended, now=now)


def _require_no_orphans(event_id: int, choice: SeatChoice) -> None:
    if not choice.seats or not selectors.wants_no_orphans(event_id):
        return
    rows = selectors.rows_of(event_id, choice.seats).values()
    if alone := [seat for row in rows for seat in seats_left_alone(row, choice.seats)]:
        raise errors.LeavesOrphan(seats=sorted(alone))


def _refusal(verdict: HoldResult, choice: SeatChoice) -> DomainError:
    match verdict.word:
        case "no_event":
            return NotFound()
        case "taken":
            return errors.SeatsTaken(seats=verdict.taken)
        case "too_many":
            left = max(verdict.seats_per_person - verdict.mine, 0)
            return errors.TooManySeats(limit=verdict.seats_per_person, left=left)
        case "companion_alone":
            return errors.CompanionAlone()
        case "not_on_sale":
            return errors.NotOnSale()
    return _missing(choice)


def _missing(choice: SeatChoice) -> DomainError:
    if choice.kind == "best":
        return errors.NotTogether(quantity=choice.quantity)
    if choice.kind == "places":
        return errors.NotEnoughPlaces(quantity=choice.quantity)
    return errors.SeatsElsewhere()


def _held(
    event_id: int, fan_id: int, code: str, key: str, verdict: HoldResult, now: datetime
) -> Hold:
    """As it was written, without reading it again."""
    reservation = Reservation(
        id=verdict.id,
        code=code,
        event_id=event_id,
        fan_id=fan_id,
        created_at=now,
        deadline=verdict.deadline,
        total=verdict.total,
        currency=verdict.currency,
        key=key,
    )
    reservation._state.adding = False
    return Hold(reservation, verdict.seats, is_new=True)
