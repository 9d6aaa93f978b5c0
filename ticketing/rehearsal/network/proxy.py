"""A TCP proxy that disturbs what it passes on, as a bad network does.

Standard library only: it runs as a program of its own, so that the proxy and what it is between
don't wait for each other (`control.py`).
"""

import asyncio
import json
import socket
import struct
import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

UP, DOWN = "up", "down"  # from the client to the server, and back
KINDS = ("delay", "stall", "cut", "half_close", "throttle")
# What one direction keeps before it stops reading; TCP makes the sender wait then.
MAX_HELD = 1 << 20
THROTTLE_SECONDS = 0.05  # between two pieces of a throttled direction


@dataclass(frozen=True)
class Disturbance:
    """What is done to the connections of a link.

    `delay` holds every piece back for `amount` seconds, and `throttle` lets `amount` bytes a second
    through. `stall` passes nothing on until it is over. `cut` resets every connection at once; in
    one direction only, each when something is sent there: the answer to a request is lost, for
    example. `half_close` ends a direction of every connection, and leaves the other one open.
    """

    kind: str
    amount: float = 0.0
    directions: tuple[str, ...] = (UP, DOWN)

    def __post_init__(self) -> None:
        if self.kind not in KINDS or not set(self.directions) <= {UP, DOWN}:
            raise ValueError(f"no such disturbance: {self}")


class Link:
    """A port of this machine that leads to a server; its connections are disturbed together."""

    def __init__(self, server: str) -> None:
        self.server = server  # host:port, or the path of a Unix socket
        self.connections: set[Connection] = set()
        self.disturbance: Disturbance | None = None
        self.changed = asyncio.Event()

    async def listen(self) -> int:
        loop = asyncio.get_running_loop()
        self.listener = await loop.create_server(lambda: Connection(self).client, "127.0.0.1", 0)
        return int(self.listener.sockets[0].getsockname()[1])

    def disturb(self, disturbance: Disturbance | None) -> None:
        """From now on, and until the next call; None lets everything through again."""
        self.disturbance = disturbance
        self.changed.set()
        self.changed = asyncio.Event()
        for connection in list(self.connections):
            connection.apply_disturbance()

    def disturbance_of(self, direction: str) -> Disturbance | None:
        found = self.disturbance
        return found if found and direction in found.directions else None

    def close(self) -> None:
        self.listener.close()
        for connection in list(self.connections):
            connection.abort()


class Connection:
    """A client, its connection to the server, and what flows between them."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.client, self.server = End(self), End(self)
        self.up = Flow(self, UP, self.client, self.server)
        self.down = Flow(self, DOWN, self.server, self.client)
        self.client.flow, self.server.flow = self.up, self.down

    async def open(self) -> None:
        loop, address = asyncio.get_running_loop(), self.link.server
        try:
            if address.startswith("/"):
                await loop.create_unix_connection(lambda: self.server, address)
            else:
                host, _, port = address.rpartition(":")
                await loop.create_connection(lambda: self.server, host, int(port))
        except OSError:
            self.abort()
            return
        if not self.client.is_open:
            self.abort()
            return
        self.client.transport.resume_reading()
        self.apply_disturbance()

    def apply_disturbance(self) -> None:
        found = self.link.disturbance
        if found and found.kind == "cut" and len(found.directions) == 2:
            self.abort()
        if found and found.kind == "half_close":
            for flow in (self.up, self.down):
                if flow.direction in found.directions:
                    flow.end()

    def abort(self) -> None:
        for end in self._open_ends():
            _reset(end.transport)

    def close(self) -> None:
        """After what was written has been sent."""
        for end in self._open_ends():
            end.transport.close()

    def _open_ends(self) -> list["End"]:
        return [end for end in (self.client, self.server) if end.is_open]


class End(asyncio.Protocol):
    """The client's or the server's side of a connection."""

    transport: asyncio.Transport
    flow: "Flow"  # what is received here

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.is_open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.is_open = True
        connection = self.connection
        connection.link.connections.add(connection)
        if self is connection.client:
            loop = asyncio.get_running_loop()
            # Not at once: the first releases of Python 3.11 start to read after this method.
            loop.call_soon(self.transport.pause_reading)
            self.opening = loop.create_task(connection.open())

    def data_received(self, data: bytes) -> None:
        self.flow.receive(data)

    def eof_received(self) -> bool:
        self.flow.receive(b"")
        return True  # the other direction stays open

    def connection_lost(self, failure: Exception | None) -> None:
        self.is_open = False
        self.flow.receive(None)
        connection = self.connection
        if not (connection.client.is_open or connection.server.is_open):
            connection.link.connections.discard(connection)

    def pause_writing(self) -> None:
        self._other.flow.pause()

    def resume_writing(self) -> None:
        self._other.flow.resume()

    @property
    def _other(self) -> "End":
        return self.connection.server if self is self.connection.client else self.connection.client


class Flow:
    """One direction of a connection: passed on at once, or held while the link is disturbed."""

    def __init__(self, connection: Connection, direction: str, source: End, target: End) -> None:
        self.link, self.connection, self.direction = connection.link, connection, direction
        self.source, self.target = source, target
        self.is_over = False  # the receiver has been told its end
        self._held: deque[tuple[float, bytes | None]] = deque()  # with the time of arrival
        self._bytes_held = 0
        self._work: asyncio.Task[None] | None = None

    def receive(self, data: bytes | None) -> None:
        """Data, b"" for the end of this direction, None if the sender is gone."""
        loop, disturbance = asyncio.get_running_loop(), self.link.disturbance_of(self.direction)
        if disturbance and disturbance.kind == "cut":
            self.connection.abort()
        elif disturbance is None and not self._held:
            self._write(data)
        else:
            self._held.append((loop.time(), data))
            self._bytes_held += len(data or b"")
            if self._bytes_held > MAX_HELD:
                self.pause()
            self._work = self._work or loop.create_task(self._pass_on())

    def end(self) -> None:
        """The receiver sees the end; what comes later is dropped."""
        self._write(b"")

    def pause(self) -> None:
        if self.source.is_open:
            self.source.transport.pause_reading()

    def resume(self) -> None:
        if self.source.is_open and self._bytes_held <= MAX_HELD:
            self.source.transport.resume_reading()

    async def _pass_on(self) -> None:
        now = asyncio.get_running_loop().time
        while self._held:
            arrived, data = self._held[0]
            match self.link.disturbance_of(self.direction):
                case Disturbance("stall"):
                    await self.link.changed.wait()
                case Disturbance("delay", seconds) if now() < arrived + seconds:
                    await self._change_within(arrived + seconds - now())
                case Disturbance("throttle", bytes_per_second) if data:
                    await self._change_within(THROTTLE_SECONDS)
                    self._pass_first(max(1, int(bytes_per_second * THROTTLE_SECONDS)))
                case _:
                    self._pass_first(len(data or b""))
        self._work = None

    async def _change_within(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.link.changed.wait()

    def _pass_first(self, size: int) -> None:
        """Pass on so many bytes of what is held first."""
        arrived, data = self._held.popleft()
        if data and len(data) > size:
            self._held.appendleft((arrived, data[size:]))
            data = data[:size]
        self._bytes_held -= len(data or b"")
        self._write(data)
        self.resume()

    def _write(self, data: bytes | None) -> None:
        if self.is_over or not self.target.is_open:
            return
        if data:
            self.target.transport.write(data)
            return
        self.is_over = True
        if data is None or (self.connection.up.is_over and self.connection.down.is_over):
            self.connection.close()
        else:
            self.target.transport.write_eof()


def _reset(transport: asyncio.Transport) -> None:
    """The peer sees a reset, not an orderly end."""
    if (opened := transport.get_extra_info("socket")) and opened.family == socket.AF_INET:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


async def serve(control: socket.socket, servers: dict[str, str]) -> None:
    """Tell the parent the ports of the links, then take its orders until it is gone."""
    links = {name: Link(server) for name, server in servers.items()}
    reader, writer = await asyncio.open_connection(sock=control)
    ports = {name: await link.listen() for name, link in links.items()}
    writer.write(json.dumps(ports).encode() + b"\n")
    while line := await reader.readline():
        order = json.loads(line)
        wanted = order["disturbance"]
        disturbance = Disturbance(*wanted) if wanted else None
        for name in order["links"]:
            links[name].disturb(disturbance)
        writer.write(b"{}\n")


if __name__ == "__main__":
    asyncio.run(serve(socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2])))
