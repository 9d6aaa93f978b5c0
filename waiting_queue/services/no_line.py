"""Why Redis has no line of an event: only the database knows."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from ticketing.core.errors import DomainError
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.ttl_cache import ttl_cache
from waiting_queue import selectors
from waiting_queue.errors import NoQueue, QueueOver, QueueUnavailable

OPEN_SALE = (NoQueue, QueueOver)


@contextmanager
def explain_no_line(event_id: int) -> Iterator[None]:
    """Raise the reason instead of `QueueUnavailable`."""
    try:
        yield
    except QueueUnavailable:
        raise no_line_reason(event_id)() from None


@asynccontextmanager
async def aexplain_no_line(event_id: int) -> AsyncIterator[None]:
    try:
        yield
    except QueueUnavailable:
        reason = no_line_reason.cached(event_id)
        if reason is None:
            reason = await in_thread(no_line_reason, event_id)
        raise reason() from None


def require_open_sale(event_id: int) -> None:
    """Where Redis has no line: refuse, unless there is no queue or it is over."""
    reason = no_line_reason(event_id)
    if not issubclass(reason, OPEN_SALE):
        raise reason()


@ttl_cache(1)
def no_line_reason(event_id: int) -> type[DomainError]:
    """Everybody who was in a line that is over goes on polling: asked once a second at most."""
    return type(selectors.missing_line_error(event_id))
