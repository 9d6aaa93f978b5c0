"""The schedule of several beats, one on each host: what is due is sent once, not once by each."""

import logging
from typing import Any
from uuid import uuid4

from celery.beat import PersistentScheduler, ScheduleEntry

from ticketing.core import clock
from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.core.schedule import store

log = logging.getLogger(__name__)
# What is due more rarely is sent by every beat: it is lost for long if the only one dies just then,
# and tasks that are sent twice change nothing.
OFTEN_SECONDS = 10
# So often the lease is renewed: a few times before it expires (`store.LEASE_MS`).
RENEW_SECONDS = 0.8


class SharedScheduler(PersistentScheduler):
    """Sends what is due often only while it has the lease; another beat takes over without it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.owner = uuid4().hex
        self._renew_at = 0.0
        super().__init__(*args, **options)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        if entry.options.get("expires", 0) > OFTEN_SECONDS or self._has_lease():
            super().apply_entry(entry, producer=producer)

    def adjust(self, n: float, drift: float = 0) -> float:
        """Seconds to wait for an entry. Celery takes 10 ms off, for which beat then runs in a loop
        without sleeping, because the entry is not due before."""
        return n

    def close(self) -> None:
        super().close()
        try:
            store.release_lease(self.owner)
        except REDIS_OUTAGES as outage:
            log.debug("the lease of the schedule was not released: %s", outage)

    def _has_lease(self) -> bool:
        """Also if Redis does not say: without it messages reach nobody, or the broker is another
        server and they may be sent twice."""
        if clock.monotonic() < self._renew_at:
            return True
        try:
            has_lease = store.hold_lease(self.owner)
        except REDIS_OUTAGES:
            return True
        if has_lease:  # until it expires nobody else can take it
            self._renew_at = clock.monotonic() + RENEW_SECONDS
        return has_lease

    def schedules_equal(self, old: Any, new: Any) -> bool:
        """Whether the entries are sorted by their time already: nobody changes them at run time."""
        return old is not None
