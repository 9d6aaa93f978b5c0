"""A crowd that joins and opens a socket: `python -m bench.storm_clients`, JSON on its input.

Everybody behaves as the waiting page does: joins, polls until the time at which the answer said to
open the socket, tries again after a failure, and claims when called. Prints one JSON line.
"""

import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from bench.client import own_cpu_seconds
from bench.client_loop import ClientLoop, Connection, Steps
from bench.storm_connections import ENDED, Answer, HttpConnection, SocketConnection

AHEAD = re.compile(rb'"ahead":(\d+)')
Asking = Generator[float | Connection, Any, Answer]


@dataclass(frozen=True)
class Job:
    port: int
    event_id: int
    sessions: list[str]  # cookies
    first_source: int
    begins_at: float  # of `time.time()`
    arrive_seconds: float
    seconds: float  # in all


@dataclass
class Figures:
    joins: list[float] = field(default_factory=list)  # seconds from wanting to join to the number
    joined_at: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)  # from joining to the first frame
    handshakes: list[float] = field(default_factory=list)  # from connecting to the first frame
    opened_at: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    late: list[float] = field(default_factory=list)  # seconds by which people came too late
    read_lags: list[float] = field(default_factory=list)
    cpu: float = 0.0

    def add(self, figures: dict[str, Any]) -> None:
        """Those of another process."""
        for name, values in figures.items():
            own = getattr(self, name)
            if isinstance(own, list):
                own.extend(values)
            elif isinstance(own, Counter):
                own.update(values)
            else:
                self.cpu += values


@dataclass
class Person:
    job: Job
    loop: ClientLoop
    number: int
    figures: Figures
    token: str = ""
    turn: int = 0
    ahead: int | None = None
    connection: HttpConnection | None = None

    def visit(self, due: float) -> Steps:
        self.figures.late.append(time.time() - due)
        standing = yield from self.join()
        if standing["state"] in ("WAITING", "LOBBY"):
            standing["state"] = yield from self._wait(standing.get("socket_after_ms", 0) / 1000)
        if standing["state"] == "READY":
            yield from self._claim()
        if self.connection:
            self.connection.close()

    def join(self) -> Generator[float | Connection, Any, dict[str, Any]]:
        wanted = time.time()
        answer = yield from self._until_answered("join", "POST", self._queue, "Content-Length: 0")
        self.figures.joins.append(answer.at - wanted)
        self.figures.joined_at.append(answer.at)
        return self._note(answer)

    def _wait(self, pause: float) -> Generator[float | Connection, Any, str]:
        """Poll until the socket may be opened, then listen until called."""
        joined = time.time()
        opens, failures, poll_at = joined + pause, 0, joined + 1
        while True:
            while poll_at < opens:
                yield poll_at
                standing = yield from self._poll()
                poll_at = time.time() + standing["next_poll_ms"] / 1000
                if standing["state"].encode() in ENDED:
                    return str(standing["state"])
            yield opens
            try:
                return (yield from self._listen(joined))
            except OSError:
                self.figures.counts["broken sockets"] += 1
                failures += 1
                opens = time.time() + min(2 ** (failures - 1) * (1 + random.random()), 30)

    def _poll(self) -> Generator[float | Connection, Any, dict[str, Any]]:
        self.figures.counts["polls"] += 1
        by_token = f"Authorization: Bearer {self.token}"
        path = f"{self._queue}?turn={self.turn}" if self.turn else self._queue
        return self._note((yield from self._until_answered("poll", "GET", path, by_token)))

    def _listen(self, joined: float) -> Generator[float | Connection, Any, str]:
        socket = yield from self.open_socket()
        self.figures.waits.append(self.figures.opened_at[-1] - joined)
        socket.seconds = None
        try:
            while not socket.ended:
                yield socket
        finally:
            socket.close()
        return socket.ended.decode()

    def open_socket(self) -> Generator[float | Connection, Any, SocketConnection]:
        """Until the first frame is there."""
        socket = SocketConnection(self.loop, self.job.port, self._source, self._told)
        socket.send(self._handshake())
        try:
            at = yield socket
        except TimeoutError:
            socket.close()
            raise
        self.figures.handshakes.append(at - socket.began)
        self.figures.opened_at.append(at)
        return socket

    def _claim(self) -> Steps:
        self.figures.counts["called"] += 1
        answer = yield from self._until_answered(
            "claim", "POST", f"{self._queue}claim/", "Content-Length: 0"
        )
        won = answer.body.get("state") == "ADMITTED"
        self.figures.counts["claimed" if won else f"lost turn ({answer.body.get('code')})"] += 1

    def _until_answered(self, name: str, method: str, path: str, header: str) -> Asking:
        """Ask again after no answer, and after one that asks to come back later."""
        for attempt in range(1_000):
            try:
                answer = yield from self._ask(self._request(method, path, header))
            except OSError:
                self.figures.counts[f"{name} without an answer"] += 1
                yield time.time() + min(2**attempt, 16) * (1 + random.random())
                continue
            if answer.status != 503:
                if answer.status not in (200, 201):
                    self.figures.counts[f"{name} {answer.status} {answer.body.get('code')}"] += 1
                return answer
            self.figures.counts[f"{name} told to come back"] += 1
            later = re.search(rb"(?i)retry-after: *(\d+)", answer.head)
            yield time.time() + int(later[1] if later else 1) * (1 + random.random())
        raise TimeoutError

    def _ask(self, request: bytes) -> Asking:
        """On the connection that is open; a new one if the server has closed it meanwhile."""
        if self.connection and not self.connection.is_closed:
            try:
                return (yield self.connection.ask(request))
            except ConnectionError:
                pass
        self.connection = HttpConnection(self.loop, self.job.port, self._source)
        try:
            return (yield self.connection.ask(request))
        except TimeoutError:
            self.connection.close()
            raise

    @property
    def _source(self) -> str:
        return f"127.0.{self.job.first_source + self.number // 5_000}.1"

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

    def _note(self, answer: Answer) -> dict[str, Any]:
        standing = answer.body
        self.token = standing.get("token") or self.token
        self.turn = standing.get("turn", 0)
        self._note_ahead(standing.get("ahead"))
        return standing

    def _told(self, payload: bytes) -> None:
        ahead = AHEAD.search(payload)
        self._note_ahead(int(ahead[1]) if ahead else None)

    def _note_ahead(self, ahead: int | None) -> None:
        if ahead is not None and self.ahead is not None and ahead > self.ahead:
            self.figures.counts["position went backwards"] += 1
        self.ahead = self.ahead if ahead is None else ahead


def run(job: Job) -> Figures:
    loop, figures = ClientLoop(), Figures()
    for number in range(len(job.sessions)):
        due = job.begins_at + job.arrive_seconds * random.random()
        loop.start(Person(job, loop, number, figures).visit(due), due)
    loop.run(job.begins_at + job.seconds)
    figures.counts.update(map(repr, loop.failures))
    figures.read_lags = loop.read_lags
    figures.cpu = own_cpu_seconds()
    return figures


if __name__ == "__main__":
    print(json.dumps(vars(run(Job(**json.load(sys.stdin))))))
