"""Tells a fan's open seat maps which browser has the pass now."""

import logging

from redis.exceptions import RedisError

from reservations import store

log = logging.getLogger(__name__)


def publish_pass_move(event_id: int, fan_id: int, browser: str) -> None:
    """Never fails: pages that are not pushed to poll, and their next hold is refused."""
    try:
        store.add_pass_move(event_id, fan_id, browser)
    except RedisError as outage:
        log.warning("a take-over of a pass was not published: %s", outage)
