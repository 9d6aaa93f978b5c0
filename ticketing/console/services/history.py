"""The course of a sale, for charts: seconds from Redis, and what is older from the database."""

from typing import Any

from redis.exceptions import RedisError

from ticketing.console import selectors, store
from ticketing.console.figures import ROW, row


def history_of(*, event_id: int, since: int = 0) -> dict[str, Any]:
    """Everything after `since`, without a gap: where Redis knows no seconds, ten seconds do."""
    seconds = _seconds(event_id, since)
    oldest = seconds[0]["second"] if seconds else None
    whole = selectors.course_of(event_id, after=since, before=oldest if since else None)
    return {
        "fields": ROW,
        "since": since,
        "seconds": [row(figures) for figures in seconds],
        "whole": whole,
        "last": seconds[-1] if seconds else None,
    }


def running_figures() -> dict[int, store.Figures | None]:
    """Every running sale, and its newest sample if it has one yet."""
    running = [queue.pk for queue in selectors.running_queues()]
    known = last_figures(running)
    return {event_id: known.get(event_id) for event_id in running}


def last_figures(event_ids: list[int]) -> dict[int, store.Figures]:
    """The newest sample of each sale that has one."""
    try:
        known = store.latest(event_ids, 1) if event_ids else {}
    except RedisError:
        return {}
    return {event_id: samples[0] for event_id, samples in known.items() if samples}


def _seconds(event_id: int, since: int) -> list[store.Figures]:
    try:
        return store.since(event_id, since)
    except RedisError:
        return []
