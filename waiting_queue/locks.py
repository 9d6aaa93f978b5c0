"""Row locks of the queue: taken right after the rehearsal's in the order of locks.

A draw's comes after its queue's. Whoever gives its numbers has that one alone.
"""

from ticketing.core.errors import NotFound
from waiting_queue.models import MinuteDraw, QueueDraw, SaleQueue


def queue_for_update(event_id: int) -> SaleQueue:
    queue = SaleQueue.objects.select_for_update().filter(pk=event_id).first()
    if queue is None:
        raise NotFound()
    return queue


def free_queue_for_update(event_id: int) -> SaleQueue | None:
    """Return None if another worker has locked the queue: that one does the work."""
    return SaleQueue.objects.select_for_update(skip_locked=True).filter(pk=event_id).first()


def free_draw_for_update(event_id: int) -> QueueDraw | None:
    """Return the draw of a lobby; None if it is finished, or if another worker is at it."""
    unfinished = QueueDraw.objects.filter(pk=event_id, finished_at=None)
    return unfinished.select_for_update(skip_locked=True).first()


def free_minute_for_update(event_id: int, minute: int) -> MinuteDraw | None:
    """Return the draw of a minute, finished or not; None if another worker is at it."""
    draws = MinuteDraw.objects.filter(queue_id=event_id, minute=minute)
    return draws.select_for_update(skip_locked=True).first()
