"""What one process knows of its own parts: pools, breakers, the event loop, database and Redis."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ticketing.core.metrics.families import Counter, Gauge, Histogram, Labels

DATABASE = Histogram("database_seconds", "Round trips to PostgreSQL.", ["by"])
REDIS = Histogram("redis_seconds", "Round trips to Redis.", ["by"])
# Looked up once: threads and the event loop note every round trip.
DATABASE_LOOP, DATABASE_THREADS = DATABASE.labels("event_loop"), DATABASE.labels("threads")
REDIS_LOOP, REDIS_THREADS = REDIS.labels("event_loop"), REDIS.labels("threads")
REFUSED = Counter("http_refused_total", "Newcomers asked to come back while behind.", ["door"])


class PoolUse(NamedTuple):
    size: int
    busy: int
    waiting: int


# By name; each is asked when somebody reads.
pools: dict[str, Callable[[], PoolUse]] = {}


def _pool_use(field: str) -> Callable[[], Iterable[tuple[Labels, float]]]:
    return lambda: [((name,), getattr(use(), field)) for name, use in list(pools.items())]


Gauge("pool_size", "How many of a pool can work at a time.", ["pool"], _pool_use("size"))
Gauge("pool_busy", "How many of a pool work.", ["pool"], _pool_use("busy"))
Gauge("pool_waiting", "How many wait for a pool.", ["pool"], _pool_use("waiting"))
