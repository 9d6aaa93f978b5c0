"""The knobs of a queue, converted to the units of the Lua scripts."""

from collections.abc import Iterable

from waiting_queue.models import Lane, QueueDraw, SaleQueue
from waiting_queue.services.stock import places_inside
from waiting_queue.store import LaneRule, Rules, ms

# Places inside of a sale without a line: more than can ever be taken.
ANY_NUMBER = 10_000_000


def rules_of(
    queue: SaleQueue,
    *,
    drawing: bool,
    lanes: Iterable[Lane] | None = None,
    places: int | None = None,
) -> Rules:
    """`lanes` and `places` inside are read here unless the caller has done so for many queues."""
    has_line = queue.mode != SaleQueue.Mode.PASSTHROUGH
    cap = places_inside(queue) if places is None else places
    return Rules(
        epoch=queue.epoch,
        state=queue.line_state,
        drawing=drawing,
        capacity=queue.capacity,
        rate=queue.admit_per_second if has_line else 0,
        cap=cap if has_line else ANY_NUMBER * (cap > 0),  # nobody where nothing can be bought
        claim_ms=queue.claim_seconds * 1000,
        pass_ms=queue.pass_seconds * 1000,
        pass_max_ms=queue.pass_max_seconds * 1000,
        absence_ms=queue.absence_seconds * 1000,
        lines_allowed=queue.queues_per_person,
        seats_allowed=queue.event.seats_per_person,
        mode=str(queue.mode),
        companions=queue.companions,
        lanes=lane_rules(queue, queue.lanes.all() if lanes is None else lanes),
    )


def lane_rules(queue: SaleQueue, lanes: Iterable[Lane]) -> tuple[LaneRule, ...]:
    """Return the rules of its lanes, none if it has no rows; everybody's is always one of them."""
    rules = {
        lane.number: LaneRule(lane.number, lane.weight, _opens_ms(lane, queue)) for lane in lanes
    }
    return tuple(({0: LaneRule(0, 1)} | rules).values()) if rules else ()


def _opens_ms(lane: Lane, queue: SaleQueue) -> int:
    """0 if the lane opens with the queue: then it has a lobby, too."""
    return ms(lane.opens_at) if lane.opens_at and lane.opens_at > queue.opens_at else 0


def is_drawing(event_id: int) -> bool:
    return QueueDraw.objects.filter(pk=event_id, finished_at=None).exists()
