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

from bench.client import (
    Connection,
    Response,
    own_cpu_seconds,
    percentile,
    request_bytes,
    run_loop,
)


@dataclass(frozen=True)
class HoldClient:
    """One connection, and what is asked over it: URL, headers and body of each request."""

    requests: list[tuple[str, dict[str, str], Any]]


@dataclass(frozen=True)
class HoldTimings:
    per_second: float
    median_ms: float
    p99_ms: float
    client_cpu_ms: float  # per request
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
    cpu, began = own_cpu_seconds(), list[float]()
    await asyncio.gather(*(_send(client, ready, began, times, statuses) for client in clients))
    took = time.perf_counter() - min(began)
    return HoldTimings(
        per_second=len(times) / took,
        median_ms=percentile(times, 0.5),
        p99_ms=percentile(times, 0.99),
        client_cpu_ms=1000 * (own_cpu_seconds() - cpu) / len(times),
        statuses=dict(statuses),
    )


async def _send(
    client: HoldClient, ready: Any, began: list[float], times: list[float], statuses: Counter[str]
) -> None:
    connection = Connection(client.requests[0][0])
    await connection.open()
    await ready.wait()
    began.append(time.perf_counter())
    for address, headers, body in client.requests:
        sent, url = time.perf_counter(), urlsplit(address)
        path = f"{url.path}?{url.query}" if url.query else url.path
        headers = {"Content-Type": "application/json"} | headers
        content = json.dumps(body).encode()
        request = request_bytes("POST", connection.netloc, path, headers, content)
        statuses[_outcome(await connection.ask(request))] += 1
        times.append(time.perf_counter() - sent)
    connection.close()


def _outcome(response: Response) -> str:
    """The status, with the error code of a refusal."""
    code = response.json().get("code", "") if response.status >= 400 else ""
    return f"{response.status} {code}".strip()


if __name__ == "__main__":
    clients = [HoldClient(**each) for each in json.load(sys.stdin)]
    print(json.dumps(asdict(run_loop(run(clients)))))
