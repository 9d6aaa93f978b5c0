"""What is counted and timed of the queue, for whoever watches the site from outside.

Each process counts for itself; the reader adds up.
"""

from prometheus_client import Counter, Gauge, Histogram

# Redis answers in tenths of milliseconds; a tick and a broadcast have a second.
LUA_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
SECOND_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 2.0, 5.0)

CONNECTIONS = Gauge(
    "queue_connections",
    "People connected to this process and told their place.",
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
    "From a tick to the last of this process's people being told of it.",
    buckets=SECOND_BUCKETS,
)
FRAMES = Counter("queue_frames_total", "Messages sent to people in line.")
POLLS = Counter("queue_polls_total", "Standings asked for, by who answered.", ["source"])

# Looked up once: these are used for every connection and every poll, and show 0 from the start.
WEBSOCKETS, STREAMS = CONNECTIONS.labels("websocket"), CONNECTIONS.labels("sse")
POLLS_OF_MIRROR, POLLS_OF_REDIS = POLLS.labels("mirror"), POLLS.labels("redis")
