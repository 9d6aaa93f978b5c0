"""Whether this process is behind, and who is asked to come back later while it is.

A process is behind if its event loop is late, or if too many pages wait for a thread. It then
refuses what a crowd loads before it is in, at once and without a thread; if only threads are short,
copies of pages are still sent. Joining, claiming and everything that people inside or operators do
is always answered (docs/adr/0010-overload.md).
"""

import asyncio
import logging
import re
from typing import Any

from django.conf import settings

from ticketing.core import clock
from ticketing.core.metrics.families import Gauge
from ticketing.core.metrics.machine import PoolUse, pools
from ticketing.core.server_signals import server_behind

log = logging.getLogger(__name__)

INTERVAL = 0.2  # seconds between two looks at the event loop
STARTUP_SECONDS = 10.0  # a process that still loads is late, and soon no more
# It counts as caught up after so many seconds below half of both limits.
CALM_SECONDS = 2.0
REPORT_SECONDS = 1.0
# Never refused: health checks, files of pages that were answered, people inside, and operators.
KEPT = re.compile(
    r"/(?:healthz|readyz)$"
    r"|/(?:static|media|admin|payments|orders|tickets|door|sandbox|dev|i18n)/"
    r"|/events/[0-9]+/(?:seats|basket|standby)/"
    r"|/api/v1/(?!events/(?:[0-9]+/(?:queue/(?:outlook/)?)?)?$)"
)


class Overload:
    """The state of one process; times are handed in."""

    def __init__(self) -> None:
        self.is_on = False
        self.is_late = False  # the event loop, and not only page threads
        # Seconds by which the event loop is late; smoothed, because one hiccup is no overload.
        self.lag = 0.0
        self.last_lag = 0.0
        self.pages = 0  # being answered, or waiting for a thread
        self._calm_since: float | None = None

    @property
    def waiting_pages(self) -> int:
        return max(self.pages - settings.WEB_THREADS, 0)

    def page_use(self) -> PoolUse:
        threads = settings.WEB_THREADS
        return PoolUse(threads, min(self.pages, threads), self.waiting_pages)

    def note(self, lag: float, now: float) -> None:
        """Take a measurement of the event loop's lag."""
        self.lag, self.last_lag = (self.lag + lag) / 2, lag
        if self._exceeds(1):
            self._calm_since = None
            self.is_late = self.is_late or self._lag_exceeds(1)
            self._switch(True)
        elif self._exceeds(0.5):
            self._calm_since = None
        elif self._calm_since is None:
            self._calm_since = now
        elif now - self._calm_since >= CALM_SECONDS:
            self.is_late = False
            self._switch(False)

    def page_began(self) -> None:
        self.pages += 1
        if self._exceeds(1):
            self._switch(True)

    def page_ended(self) -> None:
        self.pages -= 1

    def _exceeds(self, share: float) -> bool:
        """Whether one of the limits, or a share of it, is exceeded."""
        return self._lag_exceeds(share) or self.waiting_pages > share * settings.OVERLOAD_PAGES

    def _lag_exceeds(self, share: float) -> bool:
        return 1000 * self.lag > share * settings.OVERLOAD_LAG_MS

    def _switch(self, on: bool) -> None:
        if on != self.is_on:
            self.is_on = on
            what = "is behind and refuses pages" if on else "has caught up"
            log.warning(
                "this process %s: %d ms late, %d pages wait",
                *(what, 1000 * self.lag, self.waiting_pages),
            )


overload = Overload()
pools["pages"] = overload.page_use
Gauge("event_loop_lag_seconds", "How late it is.", [], lambda: [((), overload.lag)])
Gauge("overloaded", "Whether newcomers are refused.", [], lambda: [((), overload.is_on)])


async def watch(state: Overload = overload) -> None:
    """Measure the event loop for as long as it runs, and report while it is behind."""
    reported = 0.0
    await asyncio.sleep(STARTUP_SECONDS)
    while True:
        due = clock.monotonic() + INTERVAL
        await asyncio.sleep(INTERVAL)
        now = clock.monotonic()
        state.note(now - due, now)
        if state.is_on and now - reported >= REPORT_SECONDS:
            reported = now
            await server_behind.asend_robust(sender=None)


def is_refused(scope: Any) -> bool:
    """Whether a request of this kind has to wait while the process is behind."""
    return scope["method"] in ("GET", "HEAD") and not KEPT.match(scope["path"])
