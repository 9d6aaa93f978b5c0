"""Queues as the public may know of them."""

from collections.abc import Sequence

from ticketing.events.models import Event
from waiting_queue import store
from waiting_queue.errors import NoQueue
from waiting_queue.models import SaleQueue

# A page that says "you stand in another line" names at most this many.
MAX_NAMED = 5


def public_queue(event_id: int) -> SaleQueue:
    """Return the queue of a published event with its draw, but without the list of people."""
    queues = SaleQueue.objects.select_related("event__plan__venue", "draw").defer("draw__people")
    queue = queues.exclude(event__state=Event.State.DRAFT).filter(pk=event_id).first()
    if queue is None:
        raise NoQueue()
    return queue


def public_queues(event_ids: Sequence[int]) -> list[SaleQueue]:
    """Return the first few queues of these events, without those of drafts."""
    queues = SaleQueue.objects.filter(pk__in=event_ids).exclude(event__state=Event.State.DRAFT)
    return list(queues.select_related("event")[:MAX_NAMED])


def current_queue(event_id: int) -> SaleQueue | None:
    """Return the queue in front of an event's sale, unless it is closed."""
    return SaleQueue.objects.exclude(state=SaleQueue.State.CLOSED).filter(pk=event_id).first()


def open_lines_of_identities() -> list[int]:
    """Return the events with a line that ask for verified identities."""
    queues = SaleQueue.objects.filter(event__identity_level=Event.IdentityLevel.IDENTITY)
    return list(queues.filter(state__in=SaleQueue.RUNNING).values_list("pk", flat=True))


def current_notice(event_id: int) -> str:
    """Return the operator's message to everyone in line; empty if there is none."""
    notice = SaleQueue.objects.filter(pk=event_id).values_list("notice", flat=True).first()
    if notice is None:
        raise NoQueue()
    return notice


def block_reason(*, event_id: int, person: str) -> str:
    """Return why an operator blocked this person; empty if they are not blocked."""
    return store.block_reason(event_id, person) or ""
