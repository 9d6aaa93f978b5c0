"""Hands hold requests that changed their state to the processes that have their fans' seat maps.

A worker changes them, and server processes hold the connections: a stream in Redis is in between.
"""

import logging

from redis.exceptions import RedisError

from reservations import store
from reservations.live.frames import request_body
from reservations.models import HoldRequest

log = logging.getLogger(__name__)


def publish_request(request: HoldRequest) -> None:
    """Never fails: pages that are not pushed to poll."""
    body = request_body(request) | {"refusal": request.refusal}
    try:
        store.add_request_change(request.event_id, request.fan_id, body)
    except RedisError as outage:
        log.warning("request %s: its change was not published: %s", request.code, outage)
