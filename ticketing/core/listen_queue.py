"""The kernel's queue of connections that no server process has accepted yet."""

import asyncio
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

# Asked for; the kernel shortens it to `net.core.somaxconn`.
LONGEST = 65_535
# Below this, the connections of an opening are dropped before anybody can answer them.
ENOUGH = 16_384
SOMAXCONN = Path("/proc/sys/net/core/somaxconn")
# Connections accepted in one turn of the event loop, at most.
PER_TURN = 32
# After a turn that accepted fewer than that the other processes have so long to accept some.
OTHERS_SECONDS = 0.001
# Until the next try, after no file descriptor was left for a connection.
PAUSE_SECONDS = 0.5


def longest_allowed() -> int | None:
    """None where the system does not say."""
    try:
        return int(SOMAXCONN.read_text())
    except (OSError, ValueError):
        return None


class Acceptor:
    """Accepts the connections of a listening socket, several in each turn of the event loop.

    libuv accepts one a turn (libuv#3696). A loop whose turns take 20 ms would then let in 50 people
    a second, and the others wait in front of a process that answers everybody else at once.
    But of a few connections that come together, as those that a proxy keeps open, the process that
    wakes up first would accept all. So a turn accepts one, the next ones twice as many as the one
    before as long as some are left, and between them the other processes have their turn.
    Has the methods that uvicorn calls of a server.
    """

    def __init__(self, listener: socket.socket, create_protocol: Callable[[], Any]) -> None:
        self.listener, self.create_protocol = listener, create_protocol
        self.loop = asyncio.get_running_loop()
        self._batch = 1
        self._connecting: set[asyncio.Task[Any]] = set()
        self._pause: asyncio.TimerHandle | None = None  # until it goes on
        listener.setblocking(False)
        self._start()

    def close(self) -> None:
        if self._pause:
            self._pause.cancel()
        self.loop.remove_reader(self.listener)
        self.listener.close()

    async def wait_closed(self) -> None:
        await asyncio.gather(*self._connecting, return_exceptions=True)

    def _start(self) -> None:
        self._pause = None
        self.loop.add_reader(self.listener, self._accept)

    def _go_on(self) -> None:
        """Look for more at once: if nobody is left, the next turn begins with one again."""
        self._start()
        self._accept()

    def _accept(self) -> None:
        for accepted in range(self._batch):
            try:
                connection, _ = self.listener.accept()
            except BlockingIOError:
                self._batch = 1
                if accepted:
                    self._go_on_after(OTHERS_SECONDS)
                return
            except ConnectionError:  # it was closed meanwhile
                continue
            except OSError as shortage:
                log.error("connections have to wait: %s", shortage)
                self._go_on_after(PAUSE_SECONDS)
                return
            task = self.loop.create_task(
                self.loop.connect_accepted_socket(self.create_protocol, connection)
            )
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)
        if self._batch < PER_TURN:
            self._batch *= 2
            self._go_on_after(OTHERS_SECONDS)

    def _go_on_after(self, seconds: float) -> None:
        self.loop.remove_reader(self.listener)
        self._pause = self.loop.call_later(seconds, self._go_on)
