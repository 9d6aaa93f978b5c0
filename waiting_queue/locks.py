"""Row locks of the queue: taken right after the rehearsal's in the order of locks."""

from ticketing.core.errors import NotFound
from waiting_queue.models import SaleQueue


def queue_for_update(event_id: int) -> SaleQueue:
    queue = SaleQueue.objects.select_for_update().filter(pk=event_id).first()
    if queue is None:
        raise NotFound()
    return queue


def free_queue_for_update(event_id: int) -> SaleQueue | None:
    """Return None if another worker has locked the queue: that one does the work."""
    return SaleQueue.objects.select_for_update(skip_locked=True).filter(pk=event_id).first()
