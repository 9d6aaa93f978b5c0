"""Who may choose seats: people whose turn it is; anybody where no queue is in front of the sale."""

from datetime import datetime

from ticketing.core.fast_path.threads import in_thread
from ticketing.core.ttl_cache import ttl_cache
from waiting_queue import selectors as queues
from waiting_queue import services as queue
from waiting_queue.errors import NoQueue, QueueOver, QueueUnavailable

OPEN_SALE = (NoQueue, QueueOver)


def require_turn(*, event_id: int, fan_id: int, now: datetime) -> None:
    """Renews the pass of whoever is inside.

    Where Redis knows of no line, the database says why: there is no queue or it is over (then the
    sale is open), it has not begun (refused), or it is being restored (refused, try again).
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
    reason = why_no_line(event_id)
    if not issubclass(reason, OPEN_SALE):
        raise reason() from None


@ttl_cache(1)
def why_no_line(event_id: int) -> type[Exception]:
    return type(queues.missing_line_error(event_id))
