"""What is read of all queues every few seconds, also if nobody is in line: compiled once."""

from collections import defaultdict
from datetime import datetime

from django.db.models import Q

from ticketing.core.prepared_queries import PreparedQuery
from ticketing.events.models import Event
from waiting_queue.models import Lane, QueueDraw, SaleQueue

State = SaleQueue.State
ENDED_SALES = (Event.State.CLOSED, Event.State.CANCELLED)

_RUNNING = PreparedQuery(
    lambda it: (
        SaleQueue.objects.filter(state__in=SaleQueue.RUNNING)
        .select_related("event")
        .defer("event__description_ko", "event__description_en")
    )
)
_RUNNING_EVENTS = PreparedQuery(
    lambda it: SaleQueue.objects.filter(state__in=SaleQueue.RUNNING).only("pk")
)
_STARTED = PreparedQuery(lambda it: SaleQueue.objects.exclude(epoch="").only("pk"))
_LANES = PreparedQuery(lambda it: Lane.objects.filter(queue__state__in=SaleQueue.RUNNING))
_DUE = PreparedQuery(
    lambda it: SaleQueue.objects.filter(
        Q(state=State.SCHEDULED, lobby_opens_at__lte=it("now"), opens_at__gt=it("now"))
        | Q(state__in=[State.SCHEDULED, State.LOBBY], opens_at__lte=it("now"))
    ).exclude(event__state__in=[*ENDED_SALES, Event.State.DRAFT])
)
_DRAWING = PreparedQuery(lambda it: QueueDraw.objects.filter(finished_at=None).only("pk"))
_TO_ARCHIVE = PreparedQuery(
    lambda it: SaleQueue.objects.filter(state=State.CLOSED).exclude(epoch="").only("pk")
)


def running_queues() -> list[SaleQueue]:
    """Each with its event, whose state decides whether anybody may come in."""
    return _RUNNING.all()


def running_events() -> list[int]:
    return [queue.pk for queue in _RUNNING_EVENTS.all()]


def started_events() -> list[int]:
    """Events whose queue has a line in Redis, also if it is closed."""
    return [queue.pk for queue in _STARTED.all()]


def running_lanes() -> dict[int, list[Lane]]:
    """The lanes of every running queue that has some, by its event."""
    lanes = defaultdict(list)
    for lane in _LANES.all():
        lanes[lane.queue_id].append(lane)
    return lanes


def due_queues(now: datetime) -> list[SaleQueue]:
    """Queues whose lobby or line should be open by now, and is not."""
    return _DUE.all(now=now)


def events_being_drawn() -> set[int]:
    """Events whose lobby has not got all of its numbers yet."""
    return {draw.pk for draw in _DRAWING.all()}


def events_to_archive() -> set[int]:
    """Events whose queue is closed and still has a line in Redis."""
    return {queue.pk for queue in _TO_ARCHIVE.all()}
