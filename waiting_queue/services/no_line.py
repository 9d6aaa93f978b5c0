"""Why Redis has no line of an event: only the database knows."""

from collections.abc import Iterator
from contextlib import contextmanager

from ticketing.core.errors import DomainError
from ticketing.core.fast_path.threads import acached
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


class aexplain_no_line:  # noqa: N801 - used like a function
    """The same for coroutines. Every call of a crowd enters it: a generator would take longer."""

    __slots__ = ("event_id",)

    def __init__(self, event_id: int) -> None:
        self.event_id = event_id

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or not issubclass(kind, QueueUnavailable):
            return
        raise (await acached(no_line_reason, self.event_id))() from None


def require_open_sale(event_id: int) -> None:
    """Where Redis has no line: refuse, unless there is no queue or it is over."""
    _require_open_sale(no_line_reason(event_id))


async def arequire_open_sale(event_id: int) -> None:
    _require_open_sale(await acached(no_line_reason, event_id))


def _require_open_sale(reason: type[DomainError]) -> None:
    if not issubclass(reason, OPEN_SALE):
        raise reason()


@ttl_cache(1)
def no_line_reason(event_id: int) -> type[DomainError]:
    """Everybody who was in a line that is over goes on polling: asked twice a second at most."""
    return type(selectors.missing_line_error(event_id))
