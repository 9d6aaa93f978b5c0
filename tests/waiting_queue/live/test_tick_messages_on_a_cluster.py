"""The same tick messages and heartbeats on a Redis Cluster of three."""

from tests.waiting_queue.live.test_tick_messages import *  # noqa: F403
from tests.waiting_queue.test_cluster import cluster, queue_on_a_cluster  # noqa: F401
