"""Server processes that answer late say so here; the tick reads it."""

from ticketing.core import redis
from waiting_queue import keys

# A report counts for so long: the next one may be late, too.
REPORT_MS = 5_000


async def areport_behind() -> None:
    await redis.async_queue_client().call("SET", keys.behind(), 1, "PX", REPORT_MS)


def is_behind() -> bool:
    """Whether any server process said lately that it answers late."""
    return bool(redis.queue_client().exists(keys.behind()))
