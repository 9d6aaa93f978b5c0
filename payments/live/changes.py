"""Hands payments that changed their state to the processes that have their owners' pages open.

A worker changes them, and server processes hold the sockets: a channel in Redis is in between.
"""

import logging

from redis.exceptions import RedisError

from payments import store
from payments.models import Payment

log = logging.getLogger(__name__)


async def publish_change(payment: Payment, *, was: str) -> None:
    """If its state is another than it was. Never fails: pages that are not pushed to poll."""
    if payment.state == was:
        return
    try:
        await store.publish_change(payment.pk, payment.state)
    except RedisError as outage:
        log.warning("%s: its change was not published: %s", payment, outage)
