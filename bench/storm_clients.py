"""A crowd that joins and opens a socket: `python -m bench.storm_clients`, JSON on its input.

Everybody behaves as the waiting page does: joins, polls until the time at which the answer said to
open the socket, tries again after a failure, and claims when called. Prints one JSON line.
"""

import asyncio
import json
import random
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import uvloop

from bench.socket_clients import PONG

ANSWER_SECONDS = 60.0
STATE, AHEAD = re.compile(rb'"state":"(\w+)"'), re.compile(rb'"ahead":(\d+)')
ENDED = frozenset({b"READY", b"ADMITTED", b"EXPIRED", b"CLOSED"})


@dataclass(frozen=True)
class Job:
    port: int
    event_id: int
    sessions: list[str]  # cookies
    first_source: int  # each loopback address has ports of its own
    arrive_seconds: float
    seconds: float  # in all


@dataclass
class Figures:
    joins: list[float] = field(default_factory=list)  # seconds from wanting to join to the number
    sockets: list[float] = field(default_factory=list)  # seconds from joining to the first frame
    opened_at: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class HttpConnection(asyncio.Protocol):
    """One request at a time."""

    def __init__(self) -> None:
        self.rest, self.answer = b"", asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    async def ask(self, request: bytes) -> tuple[int, bytes, dict[str, Any]]:
        self.rest, self.answer = b"", asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await asyncio.wait_for(self.answer, ANSWER_SECONDS)

    def data_received(self, data: bytes) -> None:
        self.rest += data
        head, found, body = self.rest.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        if found and length and len(body) >= int(length[1]) and not self.answer.done():
            is_json = b"application/json" in head
            self.answer.set_result((int(head[9:12]), head, json.loads(body) if is_json else {}))

    def connection_lost(self, failure: Exception | None) -> None:
        if not self.answer.done():
            self.answer.set_exception(failure or ConnectionResetError("closed"))
            self.answer.exception()


class SocketConnection(asyncio.Protocol):
    """Reads frames until the person is called or the connection ends."""

    def __init__(self, person: "Person", handshake: bytes) -> None:
        loop = asyncio.get_running_loop()
        self.person, self.handshake, self.rest, self.is_open = person, handshake, b"", False
        self.first: asyncio.Future[None] = loop.create_future()  # the first frame
        self.ended: asyncio.Future[bytes] = loop.create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(self.handshake)

    def data_received(self, data: bytes) -> None:
        data = self.rest + data
        if not self.is_open:
            head, found, rest = data.partition(b"\r\n\r\n")
            if not found:
                self.rest = data
                return
            if not head.startswith(b"HTTP/1.1 101"):
                self.transport.close()
                return
            self.is_open, data = True, rest
        at, size = 0, len(data)
        while size - at >= 4:
            length, start = data[at + 1], at + 2
            if length == 126:
                length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            if size < start + length:
                break
            self._frame(data[at], data[start : start + length])
            at = start + length
        self.rest = data[at:]

    def _frame(self, first: int, payload: bytes) -> None:
        if first == 0x89:
            self.transport.write(PONG[:1] + bytes([0x80 | len(payload)]) + bytes(4) + payload)
        elif first == 0x81 and (state := STATE.search(payload)):
            if not self.first.done():
                self.first.set_result(None)
            self.person.told(payload)
            if state[1] in ENDED and not self.ended.done():
                self.ended.set_result(state[1])

    def connection_lost(self, failure: Exception | None) -> None:
        for future in (self.first, self.ended):
            if not future.done():
                future.set_exception(failure or ConnectionResetError("closed"))
                future.exception()


@dataclass
class Person:
    job: Job
    number: int
    figures: Figures
    token: str = ""
    turn: int = 0
    ahead: int | None = None

    async def visit(self) -> None:
        await asyncio.sleep(self.job.arrive_seconds * random.random())
        standing = await self._join()
        joined = time.monotonic()
        if standing["state"] in ("WAITING", "LOBBY"):
            standing["state"] = await self._wait(joined, standing.get("socket_after_ms", 0) / 1000)
        if standing["state"] == "READY":
            await self._claim()

    async def _join(self) -> dict[str, Any]:
        wanted = time.monotonic()
        standing = await self._until_answered("join", "POST", f"{self._queue}", "Content-Length: 0")
        self.figures.joins.append(time.monotonic() - wanted)
        self._note(standing)
        return standing

    async def _wait(self, joined: float, pause: float) -> str:
        """Poll until the socket may be opened, then listen until called."""
        opens = joined + pause
        failures, poll_at = 0, time.monotonic() + 1
        while True:
            while time.monotonic() < opens:
                if opens <= poll_at:
                    await asyncio.sleep(opens - time.monotonic())
                    break
                await asyncio.sleep(max(poll_at - time.monotonic(), 0))
                standing = await self._poll()
                poll_at = time.monotonic() + standing["next_poll_ms"] / 1000
                if standing["state"].encode() in ENDED:
                    return str(standing["state"])
            try:
                return await self._listen(joined)
            except (OSError, TimeoutError):
                self.figures.counts["broken handshakes"] += 1
                failures += 1
                opens = time.monotonic() + min(2 ** (failures - 1) * (1 + random.random()), 30)

    async def _poll(self) -> dict[str, Any]:
        self.figures.counts["polls"] += 1
        by_token = f"Authorization: Bearer {self.token}"
        path = f"{self._queue}?turn={self.turn}" if self.turn else self._queue
        standing = await self._until_answered("poll", "GET", path, by_token)
        self._note(standing)
        return standing

    async def _listen(self, joined: float) -> str:
        socket = await self._connect(lambda: SocketConnection(self, self._handshake()))
        await asyncio.wait_for(socket.first, ANSWER_SECONDS)
        now = time.monotonic()
        self.figures.sockets.append(now - joined)
        self.figures.opened_at.append(now)
        try:
            state: bytes = await socket.ended
        finally:
            socket.transport.close()
        return state.decode()

    async def _claim(self) -> None:
        self.figures.counts["called"] += 1
        answer = await self._until_answered(
            "claim", "POST", f"{self._queue}claim/", "Content-Length: 0"
        )
        won = answer.get("state") == "ADMITTED"
        self.figures.counts["claimed" if won else f"lost turn ({answer.get('code')})"] += 1

    async def _until_answered(
        self, name: str, method: str, path: str, header: str
    ) -> dict[str, Any]:
        """Ask again after no answer, and after one that asks to come back later."""
        for attempt in range(1_000):
            try:
                connection = await self._connect(HttpConnection)
                try:
                    status, head, body = await connection.ask(self._request(method, path, header))
                finally:
                    connection.transport.close()
            except (OSError, TimeoutError):
                self.figures.counts[f"{name} without an answer"] += 1
                await asyncio.sleep(min(2**attempt, 16) * (1 + random.random()))
                continue
            if status != 503:
                if status not in (200, 201):
                    self.figures.counts[f"{name} {status} {body.get('code')}"] += 1
                return body
            self.figures.counts[f"{name} told to come back"] += 1
            later = re.search(rb"(?i)retry-after: *(\d+)", head)
            await asyncio.sleep(int(later[1] if later else 1) * (1 + random.random()))
        raise TimeoutError

    async def _connect(self, protocol: Any) -> Any:
        source = f"127.0.{self.job.first_source + self.number // 5_000}.1"
        loop = asyncio.get_running_loop()
        _, connected = await asyncio.wait_for(
            loop.create_connection(protocol, "127.0.0.1", self.job.port, local_addr=(source, 0)),
            ANSWER_SECONDS,
        )
        return connected

    @property
    def _queue(self) -> str:
        return f"/api/v1/events/{self.job.event_id}/queue/"

    def _request(self, method: str, path: str, *headers: str) -> bytes:
        own = f"localhost:{self.job.port}"
        lines = [f"{method} {path} HTTP/1.1", f"Host: {own}", f"Origin: http://{own}", *headers]
        if not any(header.startswith("Authorization") for header in headers):
            lines.append(f"Cookie: {self.job.sessions[self.number]}")
        return "\r\n".join([*lines, "", ""]).encode()

    def _handshake(self) -> bytes:
        query = f"?turn={self.turn}" if self.turn else ""
        return self._request(
            "GET",
            f"/ws/events/{self.job.event_id}/queue/{query}",
            *("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"),
            *("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",),
            *([f"Sec-WebSocket-Protocol: {self.token}"] if self.token else []),
        )

    def _note(self, standing: dict[str, Any]) -> None:
        self.token = standing.get("token") or self.token
        self.turn = standing.get("turn", 0)
        self._note_ahead(standing.get("ahead"))

    def told(self, payload: bytes) -> None:
        ahead = AHEAD.search(payload)
        self._note_ahead(int(ahead[1]) if ahead else None)

    def _note_ahead(self, ahead: int | None) -> None:
        if ahead is not None and self.ahead is not None and ahead > self.ahead:
            self.figures.counts["position went backwards"] += 1
        self.ahead = self.ahead if ahead is None else ahead


async def main(job: Job) -> Figures:
    figures = Figures()
    people = [Person(job, number, figures) for number in range(len(job.sessions))]
    visits = [asyncio.create_task(person.visit()) for person in people]
    _, waiting = await asyncio.wait(visits, timeout=job.seconds)
    for visit in waiting:
        visit.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    for visit in set(visits) - waiting:
        if failure := visit.exception():
            figures.counts[repr(failure)] += 1
    return figures


if __name__ == "__main__":
    figures = uvloop.run(main(Job(**json.load(sys.stdin))))
    print(json.dumps(vars(figures)))
