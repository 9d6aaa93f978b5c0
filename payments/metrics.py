"""Prometheus metrics of payments."""

from ticketing.core.metrics.families import Histogram

GATEWAY_CALLS = Histogram(
    "gateway_call_seconds", "Calls to the gateway, by how they ended.", ["call", "outcome"]
)
