"""How long pages take in this process: measured where a request arrives, so that waiting counts."""

import threading
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from ticketing.core import clock

# What is told is about the last few seconds, and about no more than so many pages.
SECONDS, MOST = 15.0, 2_000
# Fewer tell nothing.
FEWEST = 5
# A page that takes so long already counts before it is done: a jam is seen while it lasts.
LONG_SECONDS = 1.0
# Not pages, or pages whose time says nothing of the crowd: operators, and waiting for the gateway.
ELSEWHERE = ("/static/", "/media/", "/admin/", "/payments/", "/door/")
Application = Callable[[Any, Any, Any], Awaitable[None]]


class Latency:
    """The times of the last pages. Written by the event loop, read by another thread."""

    def __init__(self) -> None:
        self._done: deque[tuple[float, float]] = deque(maxlen=MOST)
        self._under_way: dict[int, float] = {}
        self._lock, self._names = threading.Lock(), 0

    def begin(self) -> int:
        with self._lock:
            self._names += 1
            self._under_way[self._names] = clock.monotonic()
            return self._names

    def end(self, name: int) -> None:
        with self._lock:
            began = self._under_way.pop(name, None)
            if began is not None:
                self._done.append((clock.monotonic(), clock.monotonic() - began))

    def p95_ms(self) -> float | None:
        """Of the last seconds, in milliseconds; None where too few pages were asked for."""
        now = clock.monotonic()
        with self._lock:
            took = [seconds for at, seconds in self._done if now - at <= SECONDS]
            jammed = [now - began for began in self._under_way.values()]
        took = sorted([*took, *(age for age in jammed if age > LONG_SECONDS)])
        if len(took) < FEWEST:
            return None
        return round(1000 * took[min(int(0.95 * len(took)), len(took) - 1)], 1)


pages = Latency()


class Timed:
    """An ASGI application whose pages are timed, until their answer begins."""

    def __init__(self, application: Any, pace: Latency = pages) -> None:
        self.application, self.pace = application, pace

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] != "GET" or scope["path"].startswith(ELSEWHERE):
            await self.application(scope, receive, send)
            return
        name = self.pace.begin()

        async def sending(message: Any) -> None:
            self.pace.end(name)
            await send(message)

        try:
            await self.application(scope, receive, sending)
        finally:
            self.pace.end(name)
