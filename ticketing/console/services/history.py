"""The samples of a sale for charts: by the second from Redis, older ones from PostgreSQL."""

from typing import Any

from redis.exceptions import RedisError

from ticketing.console import selectors, store
from ticketing.console.models import CHART_FIELDS, chart_row


def sample_history(*, event_id: int, since: int = 0) -> dict[str, Any]:
    """All samples after `since` without a gap: every ten seconds where Redis has no seconds."""
    try:
        seconds = store.samples_since(event_id, since)
    except RedisError:
        seconds = []
    oldest = seconds[0]["second"] if seconds else None
    whole = selectors.stored_samples(event_id, after=since, before=oldest if since else None)
    return {
        "fields": CHART_FIELDS,
        "since": since,
        "seconds": [chart_row(figures) for figures in seconds],
        "whole": whole,
        "last": seconds[-1] if seconds else None,
    }


def running_figures() -> dict[int, store.Figures | None]:
    """Every running sale with its newest sample, or None if it has none yet."""
    running = [queue.pk for queue in selectors.running_queues()]
    known = latest_figures(running)
    return {event_id: known.get(event_id) for event_id in running}


def latest_figures(event_ids: list[int]) -> dict[int, store.Figures]:
    """The newest sample of each sale that has one."""
    try:
        known = store.latest_samples(event_ids, 1) if event_ids else {}
    except RedisError:
        return {}
    return {event_id: samples[0] for event_id, samples in known.items() if samples}
