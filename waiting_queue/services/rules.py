"""The knobs of a queue, converted to the units of the Lua scripts."""

from waiting_queue.models import QueueDraw, SaleQueue
from waiting_queue.store import Rules


def rules_of(queue: SaleQueue, *, drawing: bool, seats_free: int | None = None) -> Rules:
    return Rules(
        epoch=queue.epoch,
        state=queue.state,
        drawing=drawing,
        capacity=queue.capacity,
        rate=queue.admit_per_second,
        cap=cap_of(queue, seats_free),
        claim_ms=queue.claim_seconds * 1000,
        pass_ms=queue.pass_seconds * 1000,
        pass_max_ms=queue.pass_max_seconds * 1000,
        absence_ms=queue.absence_seconds * 1000,
        lines_allowed=queue.queues_per_person,
    )


def cap_of(queue: SaleQueue, seats_free: int | None) -> int:
    """Return how many people may be inside; the stock factor lowers it as seats run out."""
    if queue.stock_factor is None or seats_free is None:
        return queue.max_inside
    return min(queue.max_inside, int(queue.stock_factor * seats_free))


def is_drawing(event_id: int) -> bool:
    return QueueDraw.objects.filter(pk=event_id, finished_at=None).exists()
