"""Whose turn it is, and which seats are for the lane of the line that they came through."""

from datetime import datetime

from reservations.locks import SeatChoice
from ticketing.core.fast_path.threads import acached, in_thread
from ticketing.events.models import Seat
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queue
from waiting_queue.errors import NotForLane
from waiting_queue.selectors import LaneLimits
from waiting_queue.services import PassProof, Turn


def require_turn(
    event_id: int, fan_id: int, choice: SeatChoice, now: datetime, proof: PassProof | None
) -> Turn:
    """Refuse whoever is not inside with this browser, and seats that are not for their lane."""
    turn = queue.require_turn(event_id=event_id, person=str(fan_id), now=now, proof=proof)
    if turn.lane is not None:
        _require_allowed(event_id, turn.lane, choice)
    return turn


async def arequire_turn(
    event_id: int, fan_id: int, choice: SeatChoice, now: datetime, proof: PassProof | None
) -> Turn:
    """The same for coroutines; without lanes there is no thread and no statement."""
    turn = await queue.arequire_turn(event_id=event_id, person=str(fan_id), now=now, proof=proof)
    if turn.lane is not None and turn.lane in await acached(queue_selectors.lane_limits, event_id):
        await in_thread(_require_allowed, event_id, turn.lane, choice)
    return turn


def _require_allowed(event_id: int, lane: int, choice: SeatChoice) -> None:
    limits = queue_selectors.lane_limits(event_id).get(lane)
    if limits and not _is_allowed(limits, event_id, choice):
        raise NotForLane(grades=sorted(limits.grades), sections=sorted(limits.sections))


def _is_allowed(limits: LaneLimits, event_id: int, choice: SeatChoice) -> bool:
    """Best seats and standing places are chosen later: they need a choice that fits in any case."""
    match choice.kind:
        case "best":
            return not limits.sections and choice.grade in limits.grades
        case "places":
            return limits.allow(grade=choice.grade, section=choice.section)
    seats = Seat.objects.filter(event_id=event_id, pk__in=choice.seats)
    wanted = seats.values_list("grade__code", "section__code")
    return all(limits.allow(grade=grade, section=section) for grade, section in wanted)
