"""The line as pages speak of it: where there is one, where else somebody stands, why not here."""

from collections.abc import Sequence

from ticketing.events.models import Event
from waiting_queue import store
from waiting_queue.models import SaleQueue

# One person stands in few lines; a page names no more of them.
NAMED = 5


def line_of(event_id: int) -> SaleQueue | None:
    """The queue in front of an event's sale, if there is one that is not over."""
    lines = SaleQueue.objects.exclude(state=SaleQueue.State.CLOSED)
    return lines.filter(pk=event_id).first()


def lines_in(event_ids: Sequence[int]) -> list[SaleQueue]:
    """The lines of these events, with the events, as far as the public may know of them."""
    lines = SaleQueue.objects.filter(pk__in=event_ids).exclude(event__state=Event.State.DRAFT)
    return list(lines.select_related("event")[:NAMED])


def why_blocked(*, event_id: int, person: str) -> str:
    """What an operator gave as the reason; empty if this person is not blocked."""
    return store.block_reason(event_id, person) or ""
