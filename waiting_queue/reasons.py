"""Why there is no line. Redis knows only that it knows none; the database knows the reason."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from channels.db import database_sync_to_async

from ticketing.core import clock
from ticketing.core.errors import DomainError
from waiting_queue import selectors
from waiting_queue.errors import QueueUnavailable

# Everybody who stood in a line that is over goes on asking; the database is asked once a second.
REASON_SECONDS = 1.0
_reasons: dict[int, tuple[float, type[DomainError]]] = {}


@contextmanager
def explained(event_id: int) -> Iterator[None]:
    try:
        yield
    except QueueUnavailable:
        raise _known(event_id) or reason(event_id) from None


@asynccontextmanager
async def aexplained(event_id: int) -> AsyncIterator[None]:
    try:
        yield
    except QueueUnavailable:
        raise _known(event_id) or await areason(event_id) from None


def reason(event_id: int) -> DomainError:
    found = selectors.missing_line_error(event_id)
    if len(_reasons) > 1_000:
        _reasons.clear()
    _reasons[event_id] = clock.monotonic() + REASON_SECONDS, type(found)
    return found


areason = database_sync_to_async(reason)


def _known(event_id: int) -> DomainError | None:
    until, kind = _reasons.get(event_id, (0.0, None))
    return kind() if kind and clock.monotonic() < until else None
