"""Asynchronous requests that moved, on their way to their fans' open maps.

A worker moves them, and other processes hold the connections: they meet in Redis.
"""

import logging
from typing import Any

from django.dispatch import receiver
from redis.exceptions import RedisError

from reservations import store
from reservations.api.serializers import request_body
from reservations.models import HoldRequest
from reservations.signals import request_moved

log = logging.getLogger(__name__)


@receiver(request_moved)
def push(request: HoldRequest, **_: Any) -> None:
    """It never fails: whoever hears nothing asks."""
    told = request_body(request) | {"refusal": request.refusal}
    try:
        store.tell_request(request.event_id, request.fan_id, told)
    except RedisError as outage:
        log.warning("request %s: its fan was not told: %s", request.code, outage)
