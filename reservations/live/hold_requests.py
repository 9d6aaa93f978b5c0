"""Hands hold requests that changed their state to the processes that have their fans' seat maps.

A worker changes them, and server processes hold the connections: a stream in Redis is in between.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable

from redis.exceptions import RedisError

from reservations import store
from reservations.live.frames import request_body
from reservations.models import HoldRequest
from reservations.store import FanRequest

log = logging.getLogger(__name__)


def publish_requests(requests: Iterable[HoldRequest]) -> None:
    """Never fails: pages that are not pushed to poll."""
    changes: dict[int, list[FanRequest]] = defaultdict(list)
    for request in requests:
        body = request_body(request, refusal=request.refusal)
        changes[request.event_id].append((request.fan_id, body))
    try:
        for event_id, theirs in changes.items():
            store.add_request_changes(event_id, theirs)
    except RedisError as outage:
        log.warning("changes of hold requests were not published: %s", outage)
