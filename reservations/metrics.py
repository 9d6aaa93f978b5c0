"""Prometheus metrics of the live seat map."""

from prometheus_client import Gauge

from ticketing.core.metrics.families import Counter

CONNECTIONS = Gauge(
    "seats_connections",
    "Open seat maps of this process to which changes are pushed.",
    multiprocess_mode="livesum",
)
FRAMES = Counter("seats_frames_total", "Frames pushed to open seat maps.").labels()
