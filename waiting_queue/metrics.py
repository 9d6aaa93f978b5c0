"""Prometheus metrics of the queue. Each process counts for itself; the reader adds up."""

from collections.abc import Mapping

from prometheus_client import Counter, Gauge, Histogram

from ticketing.core.metrics import families

# Redis answers in tenths of milliseconds; a tick and a broadcast have a second.
LUA_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
SECOND_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 2.0, 5.0)

CONNECTIONS = Gauge(
    "queue_connections",
    "Open connections of this process to which ranks are pushed.",
    ["kind"],
    multiprocess_mode="livesum",
)
PROMOTIONS = Counter("queue_promotions_total", "People called by the tick.", ["event"])
TICK_SECONDS = Histogram(
    "queue_tick_seconds", "One tick of all running queues.", buckets=SECOND_BUCKETS
)
LUA_SECONDS = Histogram(
    "queue_lua_seconds", "Round trip of a tick's scripts to Redis.", buckets=LUA_BUCKETS
)
BROADCAST_SECONDS = Histogram(
    "queue_broadcast_seconds",
    "From a tick to the last push of it in this process.",
    buckets=SECOND_BUCKETS,
)
FRAMES = families.Counter("queue_frames_total", "Frames pushed to waiting pages.").labels()
POLLS = families.Counter("queue_polls_total", "Polls, by what answered them.", ["source"])
_events: set[int] = set()


def count_promotions(called: Mapping[int, int]) -> None:
    """By event. Those that tick no more are forgotten, so that labels stay few."""
    for event_id in _events - called.keys():
        PROMOTIONS.remove(event_id)
    _events.clear()
    _events.update(called)
    for event_id, people in called.items():
        PROMOTIONS.labels(event_id).inc(people)


# Looked up once: these are used for every connection and every poll, and show 0 from the start.
WEBSOCKETS, STREAMS = CONNECTIONS.labels("websocket"), CONNECTIONS.labels("sse")
POLLS_ANSWERED_LOCALLY, POLLS_ANSWERED_BY_REDIS = POLLS.labels("local"), POLLS.labels("redis")
