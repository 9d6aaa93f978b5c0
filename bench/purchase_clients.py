"""Clients that buy: `python -m bench.purchase_clients` in a separate process, JSON on its input.

Each client repeats the same steps over keep-alive connections; a step may use the responses of
the steps before it. Prints one JSON line.
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
from uuid import uuid4


@dataclass(frozen=True)
class PurchasePlan:
    """`steps` are names of methods of `Buyer`; `seats` are bought one by one."""

    site: str
    gateway: str
    event: int
    secret: str
    headers: dict[str, str]
    seats: list[int]
    steps: list[str]


@dataclass(frozen=True)
class PurchaseTimings:
    per_second: float
    median_ms: float
    p99_ms: float
    outcomes: dict[str, int]
    step_ms: dict[str, float]


def run_purchases(plans: list[PurchasePlan]) -> PurchaseTimings:
    """Run the clients in another process, so that they do not slow down this one."""
    ran = subprocess.run(
        [sys.executable, "-m", "bench.purchase_clients"],
        input=json.dumps([asdict(each) for each in plans]),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
    )
    return PurchaseTimings(**json.loads(ran.stdout))


class KeepAliveConnection:
    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self.to, self.headers = urlsplit(url), headers
        self.connection: Any = None

    async def post(self, path: str, body: dict[str, Any], method: str = "POST") -> dict[str, Any]:
        if self.connection is None:
            self.connection = await asyncio.open_connection(self.to.hostname, self.to.port)
        reader, writer = self.connection
        writer.write(self._request(method, path, json.dumps(body).encode()))
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = head.partition(b"content-length:")[2].partition(b"\r\n")[0].strip()
        answer = json.loads(await reader.readexactly(int(length)) or b"{}")
        return answer | {"status": int(head.split(b" ", 2)[1])}

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        own = {"Host": self.to.netloc, "Content-Type": "application/json"}
        own |= self.headers | {"Content-Length": str(len(body))}
        lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in own.items())]
        return "\r\n".join([*lines, "", ""]).encode() + body


class Buyer:
    def __init__(self, plan: PurchasePlan) -> None:
        self.plan, self.known = plan, dict[str, Any]()
        self.site = KeepAliveConnection(plan.site, plan.headers)
        self.gateway = KeepAliveConnection(
            plan.gateway, {"Authorization": f"PortOne {plan.secret}"}
        )

    async def hold(self, seat: int) -> dict[str, Any]:
        path = f"/api/v1/events/{self.plan.event}/reservations/"
        return await self.site.post(path, {"seats": [seat]})

    async def start(self, seat: int) -> dict[str, Any]:
        body = {"reservation": self.known["code"], "token": self.known["payment_token"]}
        return await self.site.post("/api/v1/payments/", body | {"payment_key": str(uuid4())})

    async def window(self, seat: int) -> dict[str, Any]:
        """The fan confirms the payment in the gateway's window."""
        return await self.gateway.post(f"/bench/window/{self.known['number']}/", {})

    async def confirm(self, seat: int) -> dict[str, Any]:
        token = {"payment_token": self.known["paymentToken"]}
        return await self.site.post(f"/api/v1/payments/{self.known['number']}/confirm/", token)

    async def nothing(self, seat: int) -> dict[str, Any]:
        return await self.site.post("/bench/nothing/api/", {"seats": [seat]})

    async def prepare(self, seat: int) -> dict[str, Any]:
        """The gateway calls that the site makes, without the site."""
        self.known["number"] = f"bench-{uuid4().hex}"
        return await self._ask("pre-register", {"totalAmount": 1000, "currency": "KRW"})

    async def charge(self, seat: int) -> dict[str, Any]:
        body = {"paymentToken": self.known["paymentToken"], "totalAmount": 1000}
        return await self._ask("confirm", body)

    async def fetch(self, seat: int) -> dict[str, Any]:
        path = f"/sandbox/portone/payments/{self.known['number']}"
        return await self.gateway.post(path, {}, method="GET")

    async def _ask(self, verb: str, body: dict[str, Any]) -> dict[str, Any]:
        path = f"/sandbox/portone/payments/{self.known['number']}/{verb}"
        return await self.gateway.post(path, body)


async def run(plans: list[PurchasePlan]) -> PurchaseTimings:
    times: list[float] = []
    steps: dict[str, list[float]] = {}
    outcomes: Counter[str] = Counter()
    began = time.perf_counter()
    await asyncio.gather(*(_buy(Buyer(each), times, steps, outcomes) for each in plans))
    took = time.perf_counter() - began
    times.sort()
    return PurchaseTimings(
        per_second=len(times) / took,
        median_ms=1000 * times[len(times) // 2],
        p99_ms=1000 * times[int(len(times) * 0.99)],
        outcomes=dict(outcomes),
        step_ms={name: 1000 * sorted(its)[len(its) // 2] for name, its in steps.items()},
    )


async def _buy(
    buyer: Buyer, times: list[float], steps: dict[str, list[float]], outcomes: Counter[str]
) -> None:
    for seat in buyer.plan.seats:
        began = time.perf_counter()
        for name in buyer.plan.steps:
            sent = time.perf_counter()
            answer = await getattr(buyer, name)(seat)
            steps.setdefault(name, []).append(time.perf_counter() - sent)
            buyer.known |= answer
        times.append(time.perf_counter() - began)
        outcomes[f"{answer['status']} {answer.get('state', answer.get('code', ''))}".strip()] += 1


if __name__ == "__main__":
    print(
        json.dumps(
            asdict(asyncio.run(run([PurchasePlan(**each) for each in json.load(sys.stdin)])))
        )
    )
