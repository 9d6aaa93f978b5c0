"""Many websocket clients in one process: `python -m bench.socket_clients FILE`.

Prints `ready` when all are open. For each line on its input (a number of seconds) it counts the
frames received in that time and prints one JSON line.
"""

import asyncio
import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

MAX_HANDSHAKES = 200  # at the same time
# Each loopback address has ports of its own; to find one among few free ones takes long.
PER_ADDRESS = 5_000
MARK = b'"server_time":"'
PONG = b"\x8a\x80\x00\x00\x00\x00"  # masked with zeros; the payload follows


@dataclass(frozen=True)
class SocketClients:
    port: int
    path: str
    tokens: list[str]
    first_source: int

    async def open(self, received: "ReceivedFrames") -> None:
        gate = asyncio.Semaphore(MAX_HANDSHAKES)
        await asyncio.gather(
            *(self._open_one(received, gate, number) for number in range(len(self.tokens)))
        )

    async def _open_one(
        self, received: "ReceivedFrames", gate: asyncio.Semaphore, number: int
    ) -> None:
        source = f"127.0.{self.first_source + number // PER_ADDRESS}.1"
        loop = asyncio.get_running_loop()
        async with gate:
            _, listener = await loop.create_connection(
                lambda: ClientProtocol(self, self.tokens[number], received),
                "127.0.0.1",
                self.port,
                local_addr=(source, 0),
            )
            await asyncio.wait_for(listener.opened, 120)


class ReceivedFrames:
    """The arrival times of frames, by the server time of their tick."""

    def __init__(self) -> None:
        self.counting = False
        self.closed = self.frames = 0
        self.arrivals: dict[bytes, list[float]] = defaultdict(list)

    async def count(self, seconds: float) -> dict[str, Any]:
        self.arrivals.clear()
        self.frames = 0
        self.counting = True
        await asyncio.sleep(seconds)
        self.counting = False
        ticks = {
            mark.decode(): [arrival - sent_at(mark) for arrival in arrivals]
            for mark, arrivals in self.arrivals.items()
        }
        return {"closed": self.closed, "frames": self.frames, "ticks": ticks}


def sent_at(mark: bytes) -> float:
    return datetime.fromisoformat(mark.decode()).timestamp()


class ClientProtocol(asyncio.Protocol):
    def __init__(self, clients: SocketClients, token: str, received: ReceivedFrames) -> None:
        self.clients, self.token, self.received = clients, token, received
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.rest = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        lines = [
            f"GET {self.clients.path} HTTP/1.1",
            f"Host: localhost:{self.clients.port}",
            f"Origin: http://localhost:{self.clients.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            f"Authorization: Bearer {self.token}",
        ]
        transport.write("\r\n".join([*lines, "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        data = self.rest + data if self.rest else data
        if not self.opened.done():
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self.rest = head
                return
            self._check_handshake(head)
        self.rest = self._frames(data)

    def _check_handshake(self, head: bytes) -> None:
        if head.startswith(b"HTTP/1.1 101"):
            self.opened.set_result(None)
        else:
            self.opened.set_exception(ConnectionError(head.decode()))

    def _frames(self, data: bytes) -> bytes:
        """Handle all complete frames; return the beginning of the next one."""
        at, size = 0, len(data)
        while size - at >= 2:
            length, start = data[at + 1], at + 2
            if length == 126:
                length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            if size < start + length or (size - at < 4 and start > at + 2):
                break
            self._frame(data[at], data[start : start + length])
            at = start + length
        return data[at:]

    def _frame(self, first: int, payload: bytes) -> None:
        if first == 0x89:
            self.transport.write(PONG[:1] + bytes([0x80 | len(payload)]) + bytes(4) + payload)
        elif self.received.counting:
            self.received.frames += 1
            if (mark := payload.find(MARK)) > 0:
                begins = mark + len(MARK)
                self.received.arrivals[payload[begins : begins + 29]].append(time.time())

    def connection_lost(self, failure: Exception | None) -> None:
        self.received.closed += 1
        if not self.opened.done():
            self.opened.set_exception(failure or ConnectionError("closed"))


async def main(clients: SocketClients) -> None:
    received, loop = ReceivedFrames(), asyncio.get_running_loop()
    await clients.open(received)
    print("ready", flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await received.count(float(line))), flush=True)


if __name__ == "__main__":
    with open(sys.argv[1]) as job:
        asyncio.run(main(SocketClients(**json.load(job))))
