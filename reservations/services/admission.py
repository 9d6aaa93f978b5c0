"""Who may choose seats: fans admitted by the queue, or anybody if the event has no queue."""

from datetime import datetime

from ticketing.core.fast_path.threads import in_thread
from ticketing.core.ttl_cache import ttl_cache
from waiting_queue import selectors as queues
from waiting_queue import services as queue
from waiting_queue.errors import NoQueue, QueueOver, QueueUnavailable

OPEN_SALE = (NoQueue, QueueOver)


def require_turn(*, event_id: int, fan_id: int, now: datetime) -> None:
    """Renew the pass of an admitted fan, or refuse.

    If Redis has no line, the database says why: no queue or a closed one (the sale is open), not
    opened yet (refused), or being restored (refused, try again).
    """
    try:
        queue.require_admission(event_id=event_id, person=str(fan_id), now=now)
    except QueueUnavailable:
        require_open_sale(event_id)


async def arequire_turn(*, event_id: int, fan_id: int, now: datetime) -> None:
    try:
        await queue.arequire_admission(event_id=event_id, person=str(fan_id), now=now)
    except QueueUnavailable:
        await in_thread(require_open_sale, event_id)


def require_open_sale(event_id: int) -> None:
    """Refuse unless the event sells without a queue."""
    reason = why_no_line(event_id)
    if not issubclass(reason, OPEN_SALE):
        raise reason() from None


@ttl_cache(1)
def why_no_line(event_id: int) -> type[Exception]:
    return type(queues.why_no_line(event_id))
