"""A crowd in one process at little cost: each person is a generator, each connection a raw socket.

A generator yields what it waits for: a time, or a connection that has sent something. The kernel
says when an answer arrived, so that a crowd that is late to read it does not count as a slow site.
"""

import heapq
import select
import socket
import struct
import time
from collections.abc import Generator
from itertools import count
from typing import Any

SO_TIMESTAMPNS = 35  # socket(7); Python has no name for it
IP_BIND_ADDRESS_NO_PORT = 24
TIMESTAMP = struct.Struct("qq")
MOST_EVENTS = 256
READ_BYTES = 65_536
ANSWER_SECONDS = 60.0

# What a person waits for (a time of `time.time()`), and what they get for it.
Steps = Generator["float | Connection", Any, None]


class ClientLoop:
    def __init__(self) -> None:
        self.connections: dict[int, Connection] = {}
        self.poller = select.epoll()
        self.visits = 0  # that have not ended
        self.failures: list[BaseException] = []
        self.read_lags: list[float] = []  # seconds between the arrival of data and its reading
        self._timers: list[tuple[float, int, Visit, int]] = []
        self._order = count()

    def start(self, steps: Steps, at: float) -> None:
        self.visits += 1
        self.at(at, Visit(self, steps))

    def at(self, due: float, visit: "Visit") -> None:
        """Resume the visit then, unless it waits for something else by that time."""
        heapq.heappush(self._timers, (due, next(self._order), visit, visit.waits))

    def run(self, until: float) -> None:
        """Until everybody is done, or until that time."""
        while self.visits and (now := time.time()) < until:
            next_due = min(self._timers[0][0] if self._timers else until, until)
            for descriptor, events in self.poller.poll(max(next_due - now, 0), MOST_EVENTS):
                if connection := self.connections.get(descriptor):
                    connection.on_ready(events)
            now = time.time()
            while self._timers and self._timers[0][0] <= now:
                _, _, visit, waits = heapq.heappop(self._timers)
                if visit.waits == waits:
                    visit.on_time()


class Visit:
    """One person's generator, and how often it has waited."""

    def __init__(self, loop: ClientLoop, steps: Steps) -> None:
        self.loop, self.steps, self.waits = loop, steps, 0
        self.waits_for: Connection | None = None

    def on_time(self) -> None:
        if self.waits_for:
            self.resume(failure=TimeoutError())
        else:
            self.resume()

    def resume(self, value: Any = None, failure: BaseException | None = None) -> None:
        self.waits += 1
        self.waits_for = None
        try:
            wanted = self.steps.throw(failure) if failure else self.steps.send(value)
        except StopIteration:
            self.loop.visits -= 1
        except Exception as broken:
            self.loop.visits -= 1
            self.loop.failures.append(broken)
        else:
            self._wait_for(wanted)

    def _wait_for(self, wanted: "float | Connection") -> None:
        if isinstance(wanted, Connection):
            self.waits_for, wanted.visit = wanted, self
            if wanted.seconds:
                self.loop.at(time.time() + wanted.seconds, self)
            if wanted.is_closed:
                self.resume(failure=ConnectionResetError("closed"))
        else:
            self.loop.at(wanted, self)


class Connection:
    """A connection from one of the loopback addresses, each of which has ports of its own."""

    def __init__(self, loop: ClientLoop, port: int, source: str) -> None:
        self.loop, self.visit = loop, None  # type: ClientLoop, Visit | None
        self.seconds: float | None = ANSWER_SECONDS
        self.is_closed, self._unsent = False, b""
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        self.socket.bind((source, 0))
        self.began = time.time()
        self.socket.connect_ex(("127.0.0.1", port))
        self.descriptor = self.socket.fileno()
        loop.connections[self.descriptor] = self
        loop.poller.register(self.descriptor, select.EPOLLIN)

    def send(self, data: bytes) -> None:
        """All of it at once, or when the connection is made."""
        try:
            self.socket.send(data)
        except BlockingIOError:
            self._unsent = data
            self.loop.poller.modify(self.descriptor, select.EPOLLIN | select.EPOLLOUT)
        except OSError:
            self.close()

    def on_ready(self, events: int) -> None:
        if self._unsent and events & select.EPOLLOUT:
            data, self._unsent = self._unsent, b""
            self.loop.poller.modify(self.descriptor, select.EPOLLIN)
            self.send(data)
        if events & ~select.EPOLLOUT:
            self._read()

    def _read(self) -> None:
        try:
            data, extra, _, _ = self.socket.recvmsg(READ_BYTES, 64)
        except BlockingIOError:
            return
        except OSError as failure:
            self.lost(failure)
            return
        if not data:
            self.lost(ConnectionResetError("closed"))
            return
        now = time.time()
        seconds, nanoseconds = TIMESTAMP.unpack(extra[0][2]) if extra else (now, 0)
        at = seconds + nanoseconds / 1e9
        self.loop.read_lags.append(now - at)
        self.received(data, at)

    def received(self, data: bytes, at: float) -> None:
        """Data that arrived then; subclasses resume the visit when it is enough."""
        raise NotImplementedError

    def done(self, value: Any) -> None:
        if visit := self.visit:
            self.visit = None
            visit.resume(value)

    def lost(self, failure: BaseException) -> None:
        self.close()
        if visit := self.visit:
            self.visit = None
            visit.resume(failure=failure)

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            del self.loop.connections[self.descriptor]
            self.socket.close()
