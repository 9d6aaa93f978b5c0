"""The audit log of a sale, its autopilot, and open appeals."""

from ticketing.console.models import Autopilot
from ticketing.events.models import EventChange
from waiting_queue.models import BlockAppeal, QueueChange


def recent_changes(event_id: int, limit: int) -> list[QueueChange | EventChange]:
    """Changes of the queue and of the event in one list, newest first."""
    queue = QueueChange.objects.filter(queue_id=event_id).select_related("by")[:limit]
    event = EventChange.objects.filter(event_id=event_id).select_related("by")[:limit]
    both: list[QueueChange | EventChange] = [*queue, *event]
    return sorted(both, key=lambda change: change.at, reverse=True)[:limit]


def autopilot_of(event_id: int) -> Autopilot | None:
    return Autopilot.objects.filter(pk=event_id).first()


def autopilot_steps(event_id: int, limit: int) -> list[QueueChange]:
    """Rate changes by the autopilot, newest first."""
    own = QueueChange.objects.filter(queue_id=event_id, by=None, why__startswith="autopilot: ")
    return list(own[:limit])


def open_appeals(event_id: int) -> list[BlockAppeal]:
    appeals = BlockAppeal.objects.filter(queue_id=event_id, state=BlockAppeal.State.OPEN)
    return list(appeals.select_related("person").order_by("pk"))
