"""An HTTP load generator: `python -m bench.load` in a separate process, JSON on its input.

Without a rate each connection sends its next request as soon as it has a response. With a rate
requests are sent by the clock, however long responses take; such a process goes before others, so
that it measures the site and not how long it waited for a processor itself. Prints one JSON line;
SIGTERM ends it early.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import repeat
from typing import Any
from urllib.parse import urlsplit

from bench.client import Connection, own_cpu_seconds, percentile, request_bytes, run_loop


@dataclass(frozen=True)
class Load:
    url: str
    headers: dict[str, str]
    connections: int = 32
    seconds: float = 4.0
    method: str = "GET"
    cookies: list[str] = field(default_factory=list)  # one per request, until none is left
    count: int = 0  # requests in all, instead of `seconds`
    rate: float = 0.0  # requests a second


@dataclass(frozen=True)
class LoadTimings:
    """Of responses that are no refusals: turning people away quickly is not speed."""

    requests: int
    per_second: float
    median_ms: float
    p95_ms: float
    p99_ms: float
    bytes: int  # of one body
    client_cpu_ms: float  # per request
    statuses: dict[str, int]

    @property
    def answers(self) -> str:
        return ", ".join(f"{n:,} × {status}" for status, n in sorted(self.statuses.items()))


class RunningLoad:
    """A load in another process, so that it does not slow down this one."""

    def __init__(self, load: Load) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.load"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdin
        self.process.stdin.write(json.dumps(asdict(load)) + "\n")
        self.process.stdin.flush()

    def result(self, *, stop: bool = False) -> LoadTimings:
        if stop:
            self.process.send_signal(signal.SIGTERM)
        printed, _ = self.process.communicate(timeout=120)
        return LoadTimings(**json.loads(printed))


def measure(load: Load) -> LoadTimings:
    return RunningLoad(load).result()


class Run:
    """One load: its connections, times and statuses."""

    def __init__(self, load: Load) -> None:
        self.load, self.to = load, urlsplit(load.url)
        self.times: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.size = 0
        self.idle: deque[Connection] = deque()
        self.stopped = asyncio.Event()

    async def __call__(self) -> LoadTimings:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.stopped.set)
        cpu, began = own_cpu_seconds(), time.perf_counter()
        await (self._by_clock() if self.load.rate else self._back_to_back(began))
        took, cpu = time.perf_counter() - began, own_cpu_seconds() - cpu
        count = len(self.times)
        return LoadTimings(
            requests=count,
            per_second=count / took,
            median_ms=percentile(self.times, 0.5),
            p95_ms=percentile(self.times, 0.95),
            p99_ms=percentile(self.times, 0.99),
            bytes=self.size,
            client_cpu_ms=1000 * cpu / max(count, 1),
            statuses=dict(self.statuses),
        )

    async def _back_to_back(self, began: float) -> None:
        requests = self._requests(began + self.load.seconds)

        async def connection() -> None:
            own = Connection(self.load.url)
            for request in requests:
                await self._send(own, request)

        await asyncio.gather(*(connection() for _ in range(self.load.connections)))

    async def _by_clock(self) -> None:
        """A slow response delays no other request, so that none of the waiting is left out.

        Connections are open beforehand and take turns, so that every server process is asked.
        """
        with suppress(PermissionError):
            os.nice(-10)
        self.idle.extend(Connection(self.load.url) for _ in range(self.load.connections))
        for connection in self.idle:
            await connection.open()
        loop = asyncio.get_running_loop()
        request = next(self._requests(float("inf")))
        began, sent = loop.time(), list[asyncio.Task[None]]()
        while loop.time() < began + self.load.seconds and not self.stopped.is_set():
            sent.append(asyncio.create_task(self._send_by_clock(request)))
            pause = began + len(sent) / self.load.rate - loop.time()
            await asyncio.wait([asyncio.create_task(self.stopped.wait())], timeout=max(pause, 0))
        await asyncio.gather(*sent)

    async def _send_by_clock(self, request: bytes) -> None:
        own = self.idle.popleft() if self.idle else Connection(self.load.url)
        await self._send(own, request)
        self.idle.append(own)

    async def _send(self, connection: Connection, request: bytes) -> None:
        sent = time.perf_counter()
        try:
            response = await connection.ask(request)
        except OSError:  # an overloaded server closes connections
            self.statuses["lost"] += 1
            return
        self.statuses[str(response.status)] += 1
        if response.status < 400:
            self.times.append(time.perf_counter() - sent)
            self.size = response.size

    def _requests(self, until: float) -> Iterator[bytes]:
        """The requests to send; each connection takes the next one."""
        load = self.load
        path = self.to.path + (f"?{self.to.query}" if self.to.query else "")
        if not load.cookies:
            request = request_bytes(load.method, self.to.netloc, path, load.headers)
            if load.count:
                yield from repeat(request, load.count)
                return
            while time.perf_counter() < until and not self.stopped.is_set():
                yield request
        for cookie in load.cookies:
            headers = load.headers | {"Cookie": cookie}
            yield request_bytes(load.method, self.to.netloc, path, headers)


async def run(load: dict[str, Any]) -> LoadTimings:
    return await Run(Load(**load))()


if __name__ == "__main__":
    print(json.dumps(asdict(run_loop(run(json.loads(sys.stdin.readline()))))))
