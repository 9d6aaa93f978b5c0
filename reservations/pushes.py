"""Asynchronous requests that moved, on their way to their fans' open maps.

A worker moves them, and other processes hold the connections: they meet in Redis.
"""

import logging
from typing import Any

from django.dispatch import receiver
from redis.exceptions import RedisError

from reservations import store
from reservations.api_serializers import request_body
from reservations.models import HoldRequest
from reservations.services.signals import hold_request_changed

log = logging.getLogger(__name__)


@receiver(hold_request_changed)
def push(request: HoldRequest, **_: Any) -> None:
    """It never fails: whoever hears nothing asks."""
    told = request_body(request) | {"refusal": request.refusal}
    try:
        store.tell_request(request.event_id, request.fan_id, told)
    except RedisError as outage:
        log.warning("request %s: its fan was not told: %s", request.code, outage)
