"""When a newcomer opens the socket."""

from django.conf import settings

from ticketing.core import clock
from ticketing.core.live.socket_slots import socket_slots
from waiting_queue.services.challenges import joins_known
from waiting_queue.store import Standing

# From so many joins a second on, a call to Redis less for each socket is worth a moment's delay.
CROWD_JOINS = 100


def socket_after_ms(event_id: int, found: Standing) -> int:
    """At once; in a crowd one after the other, and not before the next tick.

    After that every process knows the number, and sends the first frames without asking Redis.
    """
    after = socket_slots.take(clock.monotonic())
    is_new = found.just_joined and found.state == "waiting"
    if is_new and joins_known(event_id) >= CROWD_JOINS:
        return max(after, settings.TICK_MS)
    return after
