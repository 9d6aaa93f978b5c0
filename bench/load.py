"""A small HTTP load generator: `python -m bench.load` in a separate process, JSON on its input.

Each keep-alive connection sends its next request as soon as it has a response, for a limited time.
Prints one JSON line.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Load:
    url: str
    headers: dict[str, str]
    connections: int = 32
    seconds: float = 4.0
    method: str = "GET"
    cookies: list[str] = field(default_factory=list)  # one per request, until none is left


@dataclass(frozen=True)
class LoadTimings:
    per_second: float
    median_ms: float
    p99_ms: float
    statuses: dict[str, int]


def measure(load: Load) -> LoadTimings:
    """Run the load in another process, so that it does not slow down this one."""
    ran = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=json.dumps(asdict(load)),
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return LoadTimings(**json.loads(ran.stdout))


async def run(load: Load) -> LoadTimings:
    times: list[float] = []
    statuses: Counter[str] = Counter()
    began = time.perf_counter()
    requests = _requests(load, began + load.seconds)
    await asyncio.gather(*(_send(load, requests, times, statuses) for _ in range(load.connections)))
    took = time.perf_counter() - began
    times.sort()
    return LoadTimings(
        per_second=len(times) / took,
        median_ms=1000 * times[len(times) // 2],
        p99_ms=1000 * times[int(len(times) * 0.99)],
        statuses=dict(statuses),
    )


def _requests(load: Load, until: float) -> Iterator[bytes]:
    """The requests to send; each connection takes the next one."""
    to = urlsplit(load.url)
    head = {"Host": to.netloc, **load.headers}
    if not load.cookies:
        request = _request(load.method, to.path, head)
        while time.perf_counter() < until:
            yield request
    for cookie in load.cookies:
        yield _request(load.method, to.path, head | {"Cookie": cookie})


async def _send(
    load: Load, requests: Iterator[bytes], times: list[float], statuses: Counter[str]
) -> None:
    to = urlsplit(load.url)
    reader, writer = await asyncio.open_connection(to.hostname, to.port)
    for request in requests:
        sent = time.perf_counter()
        writer.write(request)
        try:
            statuses[await _read_status(reader)] += 1
        except (
            ConnectionError,
            asyncio.IncompleteReadError,
        ):  # an overloaded server closes connections
            statuses["lost"] += 1
            reader, writer = await asyncio.open_connection(to.hostname, to.port)
            continue
        times.append(time.perf_counter() - sent)
    writer.close()


def _request(method: str, path: str, headers: dict[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


async def _read_status(reader: asyncio.StreamReader) -> str:
    """Read a whole response and return its status."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.partition(b"content-length:")[2].partition(b"\r\n")[0].strip()
    if length:
        await reader.readexactly(int(length))
    elif b"transfer-encoding: chunked" in head:
        await reader.readuntil(b"0\r\n\r\n")
    return head.split(b" ", 2)[1].decode()


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(run(Load(**json.load(sys.stdin)))))))
