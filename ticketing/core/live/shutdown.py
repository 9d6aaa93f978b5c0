"""A server process that is about to stop says so first, to whoever keeps connections open."""

import json
from collections.abc import Callable, Collection
from random import uniform
from typing import Protocol

from ticketing.core.live.send_buffer import SendBuffer, breathe

# After a restart everybody comes back, spread over so long that the server can take them.
RETURNS_PER_SECOND = 400
LEAST_SPREAD = 2.0


class Page(Protocol):
    """Somebody who keeps a connection open."""

    @property
    def outbox(self) -> SendBuffer: ...
    @property
    def end(self) -> Callable[[], None]: ...


async def send_back(pages: Collection[Page]) -> None:
    """Everybody is told when to come back, each at a moment of their own."""
    spread = max(LEAST_SPREAD, len(pages) / RETURNS_PER_SECOND)
    for number, page in enumerate(pages, start=1):
        after = round(1000 * uniform(0, spread))  # noqa: S311 - spreads returns, guards nothing
        page.outbox.put("reconnect", reconnect(after))
        page.end()
        await breathe(number)


def reconnect(after_ms: int) -> str:
    return json.dumps({"type": "reconnect", "after_ms": after_ms})
