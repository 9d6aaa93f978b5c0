"""What is counted of the live map, for whoever watches the site from outside."""

from prometheus_client import Counter, Gauge

CONNECTIONS = Gauge(
    "seats_connections",
    "Seat maps connected to this process and told what changes.",
    multiprocess_mode="livesum",
)
FRAMES = Counter("seats_frames_total", "Messages sent to open seat maps.")
