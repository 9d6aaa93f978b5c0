"""How long pages take in this process, from arrival to answer: waiting for a thread counts."""

import threading
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from ticketing.core import clock

# The percentile is of the last few seconds, and of no more than so many pages.
SECONDS, MOST = 15.0, 2_000
# Fewer pages say nothing.
FEWEST = 5
# A page that has taken so long counts before it is done: a jam shows while it lasts.
LONG_SECONDS = 1.0
# No pages, or pages whose time says nothing of the load: operators, and waiting for the gateway.
EXCLUDED = ("/static/", "/media/", "/admin/", "/payments/", "/door/")
Application = Callable[[Any, Any, Any], Awaitable[None]]


Done = deque[tuple[float, float]]  # when, and how long it took


class Latency:
    """The durations of the last pages. Written by the event loop, read by another thread."""

    def __init__(self) -> None:
        self._done: Done = deque(maxlen=MOST)
        self._copies: Done = deque(maxlen=MOST)
        self._started: dict[int, float] = {}
        self._lock, self._last = threading.Lock(), 0

    def begin(self) -> int:
        """The number with which to call `end`."""
        with self._lock:
            self._last += 1
            self._started[self._last] = clock.monotonic()
            return self._last

    def end(self, number: int) -> None:
        with self._lock:
            began = self._started.pop(number, None)
            if began is not None:
                self._done.append((clock.monotonic(), clock.monotonic() - began))

    def add_copy(self, began: float) -> None:
        """A page that was answered from a rendered copy just now."""
        now = clock.monotonic()
        with self._lock:
            self._copies.append((now, now - began))

    def p95_ms(self) -> float | None:
        """The 95th percentile of the last seconds, in ms; None if too few pages were asked for.

        The slower of the two kinds counts: thousands of copies must not hide that pages are slow.
        """
        now = clock.monotonic()
        with self._lock:
            rendered, copies = (
                [seconds for at, seconds in done if now - at <= SECONDS]
                for done in (self._done, self._copies)
            )
            so_far = [now - began for began in self._started.values()]
        rendered += [age for age in so_far if age > LONG_SECONDS]
        known = [sorted(took) for took in (rendered, copies) if len(took) >= FEWEST]
        if not known:
            return None
        return round(
            1000 * max(took[min(int(0.95 * len(took)), len(took) - 1)] for took in known), 1
        )


page_latency = Latency()


class LatencyMiddleware:
    """Times the pages of an ASGI application, until their answer begins."""

    def __init__(self, application: Application, latency: Latency = page_latency) -> None:
        self.application, self.latency = application, latency

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] != "GET" or scope["path"].startswith(EXCLUDED):
            await self.application(scope, receive, send)
            return
        number = self.latency.begin()

        async def timed_send(message: Any) -> None:
            self.latency.end(number)
            await send(message)

        try:
            await self.application(scope, receive, timed_send)
        finally:
            self.latency.end(number)
