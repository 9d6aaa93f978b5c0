"""Many open sockets in one process, which only listen: `python -m bench.crowd '<json>'`.

Prints `ready` when all are open. After each line on its input (a number of seconds) it counts for
so long and prints one JSON line.
"""

import asyncio
import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

OPENING = 200  # handshakes under way at once
MARK = b'"server_time":"'
PONG = b"\x8a\x80\x00\x00\x00\x00"  # masked with zeros, as it may be; the payload follows


@dataclass(frozen=True)
class Crowd:
    port: int
    path: str
    tokens: list[str]
    first_source: int  # the loopback has many addresses, each with its own ports

    async def open(self, heard: "Heard") -> None:
        gate = asyncio.Semaphore(OPENING)
        await asyncio.gather(
            *(self._open_one(heard, gate, number) for number in range(len(self.tokens)))
        )

    async def _open_one(self, heard: "Heard", gate: asyncio.Semaphore, number: int) -> None:
        source = f"127.0.{self.first_source + number // 10_000}.1"
        loop = asyncio.get_running_loop()
        async with gate:
            _, listener = await loop.create_connection(
                lambda: Listener(self, self.tokens[number], heard),
                "127.0.0.1",
                self.port,
                local_addr=(source, 0),
            )
            await asyncio.wait_for(listener.opened, 120)


class Heard:
    """When each tick reached how many."""

    def __init__(self) -> None:
        self.counting = False
        self.closed = self.frames = 0
        self.moments: dict[bytes, list[float]] = defaultdict(list)

    async def count(self, seconds: float) -> dict[str, Any]:
        self.moments.clear()
        self.frames = 0
        self.counting = True
        await asyncio.sleep(seconds)
        self.counting = False
        ticks = {
            mark.decode(): [moment - sent_at(mark) for moment in moments]
            for mark, moments in self.moments.items()
        }
        return {"closed": self.closed, "frames": self.frames, "ticks": ticks}


def sent_at(mark: bytes) -> float:
    return datetime.fromisoformat(mark.decode()).timestamp()


class Listener(asyncio.Protocol):
    def __init__(self, crowd: Crowd, token: str, heard: Heard) -> None:
        self.crowd, self.token, self.heard = crowd, token, heard
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.rest = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        lines = [
            f"GET {self.crowd.path} HTTP/1.1",
            f"Host: localhost:{self.crowd.port}",
            f"Origin: http://localhost:{self.crowd.port}",
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
            self._judge(head)
        self.rest = self._frames(data)

    def _judge(self, head: bytes) -> None:
        if head.startswith(b"HTTP/1.1 101"):
            self.opened.set_result(None)
        else:
            self.opened.set_exception(ConnectionError(head.decode()))

    def _frames(self, data: bytes) -> bytes:
        """Everything that is whole; what is left is the beginning of the next."""
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
        elif self.heard.counting:
            self.heard.frames += 1
            if (mark := payload.find(MARK)) > 0:
                begins = mark + len(MARK)
                self.heard.moments[payload[begins : begins + 29]].append(time.time())

    def connection_lost(self, failure: Exception | None) -> None:
        self.heard.closed += 1
        if not self.opened.done():
            self.opened.set_exception(failure or ConnectionError("closed"))


async def main(crowd: Crowd) -> None:
    heard, loop = Heard(), asyncio.get_running_loop()
    await crowd.open(heard)
    print("ready", flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await heard.count(float(line))), flush=True)


if __name__ == "__main__":
    with open(sys.argv[1]) as order:
        asyncio.run(main(Crowd(**json.load(order))))
