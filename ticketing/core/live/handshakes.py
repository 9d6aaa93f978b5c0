"""Sockets that wait to be opened. Requests come first: somebody joins or claims with them."""

import asyncio
from collections import deque
from collections.abc import Callable
from weakref import WeakKeyDictionary

PER_TURN = 8  # sockets opened in one turn of the event loop


class Handshakes:
    """Opens them in order, a few in each turn of the event loop: as fast as it can while nothing
    else is to do, and slowly while each turn has many requests to answer."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_scheduled = False

    def add(self, open_socket: Callable[[], None]) -> None:
        self._waiting.append(open_socket)
        self._schedule()

    def _schedule(self) -> None:
        if self._waiting and not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._open_some)

    def _open_some(self) -> None:
        self._is_scheduled = False
        try:
            for _ in range(min(PER_TURN, len(self._waiting))):
                self._waiting.popleft()()
        finally:
            self._schedule()


_handshakes: WeakKeyDictionary[asyncio.AbstractEventLoop, Handshakes] = WeakKeyDictionary()


def handshakes_of(loop: asyncio.AbstractEventLoop) -> Handshakes:
    if loop not in _handshakes:
        _handshakes[loop] = Handshakes(loop)
    return _handshakes[loop]
