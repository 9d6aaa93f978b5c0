"""Clients that hold seats: `python -m bench.hold_clients` in a separate process, JSON on its input.

Each client sends its requests one after the other over a keep-alive connection. Prints one JSON
line.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class HoldClient:
    url: str
    headers: dict[str, str]
    bodies: list[Any]


@dataclass(frozen=True)
class HoldTimings:
    per_second: float
    median_ms: float
    p99_ms: float
    statuses: dict[str, int]


def run_clients(clients: list[HoldClient]) -> HoldTimings:
    """Run the clients in another process, so that they do not slow down this one."""
    job = json.dumps([asdict(client) for client in clients])
    command = [sys.executable, "-m", "bench.hold_clients"]
    ran = subprocess.run(
        command, input=job, check=True, capture_output=True, text=True, timeout=300
    )
    return HoldTimings(**json.loads(ran.stdout))


async def run(clients: list[HoldClient]) -> HoldTimings:
    """Connect all clients first, then start them at the same moment."""
    times: list[float] = []
    statuses: Counter[str] = Counter()
    ready = asyncio.Barrier(len(clients))
    began: list[float] = []
    await asyncio.gather(*(_send(client, ready, began, times, statuses) for client in clients))
    took = time.perf_counter() - min(began)
    times.sort()
    return HoldTimings(
        per_second=len(times) / took,
        median_ms=1000 * times[len(times) // 2],
        p99_ms=1000 * times[int(len(times) * 0.99)],
        statuses=dict(statuses),
    )


async def _send(
    client: HoldClient, ready: Any, began: list[float], times: list[float], statuses: Counter[str]
) -> None:
    to = urlsplit(client.url)
    reader, writer = await asyncio.open_connection(to.hostname, to.port)
    await ready.wait()
    began.append(time.perf_counter())
    for body in client.bodies:
        sent = time.perf_counter()
        writer.write(_request(to, client.headers, json.dumps(body).encode()))
        statuses[await _read_status(reader)] += 1
        times.append(time.perf_counter() - sent)
    writer.close()


def _request(to: Any, headers: dict[str, str], body: bytes) -> bytes:
    own = {"Host": to.netloc, "Content-Type": "application/json", "Content-Length": str(len(body))}
    lines = [f"POST {to.path} HTTP/1.1", *(f"{k}: {v}" for k, v in (own | headers).items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _read_status(reader: asyncio.StreamReader) -> str:
    """The status, with the error code of a refusal."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.partition(b"content-length:")[2].partition(b"\r\n")[0].strip()
    body = await reader.readexactly(int(length)) if length else b""
    code = body.partition(b'"code":"')[2].partition(b'"')[0].decode()
    status = head.split(b" ", 2)[1].decode()
    return f"{status} {code}".strip() if status >= "400" else status


if __name__ == "__main__":
    print(
        json.dumps(asdict(asyncio.run(run([HoldClient(**each) for each in json.load(sys.stdin)]))))
    )
