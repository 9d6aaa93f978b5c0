"""Row locks of the queue: first in the order of locks."""

from ticketing.core.errors import NotFound
from waiting_queue.models import SaleQueue


def queue_for_update(event_id: int) -> SaleQueue:
    queue = SaleQueue.objects.select_for_update().filter(pk=event_id).first()
    if queue is None:
        raise NotFound()
    return queue


def free_queue_for_update(event_id: int) -> SaleQueue | None:
    """None if somebody else is at work on it: they do it."""
    return SaleQueue.objects.select_for_update(skip_locked=True).filter(pk=event_id).first()
