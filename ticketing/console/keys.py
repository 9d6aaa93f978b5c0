"""Every Redis key of the console. The braces keep an event's keys in one cluster slot."""

# Sorted set: each process by the time of its last heartbeat.
PROCESSES = "console:processes"
# Hash: each process with its page latency and when that was measured.
PAGE_LATENCIES = "console:page_latencies"


def samples(event_id: int) -> str:
    """Stream of a sale's samples, one entry a second."""
    return f"console:{{{event_id}}}:samples"


def sample_channel(database: int) -> str:
    """Channel that carries samples to every server; channels ignore the database number."""
    return f"console:samples:{database}"
