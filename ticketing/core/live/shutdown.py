"""What the clients of a server process are sent before it stops."""

import json
from collections.abc import Collection
from random import uniform

from ticketing.core.live.subscriber import Subscriber, in_batches

# All clients of a stopped process reconnect, spread over so long that the others can take them.
RECONNECTS_PER_SECOND = 400
LEAST_SPREAD_SECONDS = 2.0


async def ask_to_reconnect(subscribers: Collection[Subscriber]) -> None:
    """Ask every client to reconnect after a delay of its own, and close its connection."""
    spread = max(LEAST_SPREAD_SECONDS, len(subscribers) / RECONNECTS_PER_SECOND)
    async for batch in in_batches(subscribers):
        for subscriber in batch:
            after = round(1000 * uniform(0, spread))  # noqa: S311 - spreads load, guards nothing
            subscriber.push("reconnect", reconnect_frame(after))
            subscriber.disconnect()


def reconnect_frame(after_ms: int) -> str:
    return json.dumps({"type": "reconnect", "after_ms": after_ms})
