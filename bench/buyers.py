"""Buyers with sessions of their own: `python -m bench.buyers '<json>'` in a process of its own.

Each sends its wishes one after the other over a connection that stays open. Prints one JSON line.
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
class Buyer:
    url: str
    headers: dict[str, str]
    wishes: list[Any]


@dataclass(frozen=True)
class Bought:
    per_second: float
    median_ms: float
    p99_ms: float
    statuses: dict[str, int]


def buy(buyers: list[Buyer]) -> Bought:
    """Run it elsewhere, so that the measuring is not measured."""
    orders = json.dumps([asdict(buyer) for buyer in buyers])
    command = [sys.executable, "-m", "bench.buyers"]
    ran = subprocess.run(
        command, input=orders, check=True, capture_output=True, text=True, timeout=300
    )
    return Bought(**json.loads(ran.stdout))


async def run(buyers: list[Buyer]) -> Bought:
    """All connect first, then all begin at once."""
    times: list[float] = []
    statuses: Counter[str] = Counter()
    ready = asyncio.Barrier(len(buyers))
    began: list[float] = []
    await asyncio.gather(*(_send(buyer, ready, began, times, statuses) for buyer in buyers))
    took = time.perf_counter() - min(began)
    times.sort()
    return Bought(
        per_second=len(times) / took,
        median_ms=1000 * times[len(times) // 2],
        p99_ms=1000 * times[int(len(times) * 0.99)],
        statuses=dict(statuses),
    )


async def _send(
    buyer: Buyer, ready: Any, began: list[float], times: list[float], statuses: Counter[str]
) -> None:
    to = urlsplit(buyer.url)
    reader, writer = await asyncio.open_connection(to.hostname, to.port)
    await ready.wait()
    began.append(time.perf_counter())
    for wish in buyer.wishes:
        asked = time.perf_counter()
        writer.write(_request(to, buyer.headers, json.dumps(wish).encode()))
        statuses[await _answer(reader)] += 1
        times.append(time.perf_counter() - asked)
    writer.close()


def _request(to: Any, headers: dict[str, str], body: bytes) -> bytes:
    own = {"Host": to.netloc, "Content-Type": "application/json", "Content-Length": str(len(body))}
    lines = [f"POST {to.path} HTTP/1.1", *(f"{k}: {v}" for k, v in (own | headers).items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _answer(reader: asyncio.StreamReader) -> str:
    """The status, and what was refused; the rest is dropped."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.partition(b"content-length:")[2].partition(b"\r\n")[0].strip()
    body = await reader.readexactly(int(length)) if length else b""
    code = body.partition(b'"code":"')[2].partition(b'"')[0].decode()
    status = head.split(b" ", 2)[1].decode()
    return f"{status} {code}".strip() if status >= "400" else status


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(run([Buyer(**each) for each in json.load(sys.stdin)])))))
