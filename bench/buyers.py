"""A crowd that buys: `python -m bench.buyers` in a separate process, JSON on its input.

Everybody starts at the same moment, or one after the other, and takes the same steps, which are
methods of `Buyer`. Prints one JSON line.
"""

import asyncio
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlencode, urljoin
from uuid import uuid4

from bench.client import (
    Connection,
    Response,
    own_cpu_seconds,
    percentile,
    request_bytes,
    run_loop,
    wait_for_frame,
)

CALLED = re.compile(rb'"state": ?"(READY|ADMITTED)"')
HIDDEN = re.compile(r'name="(\w+)" value="([^"]*)"')
CSRF_COOKIE = re.compile(r"(csrftoken=[^;]+)")
POLL_SECONDS = 1.0
ATTEMPTS = 100


@dataclass(frozen=True)
class Crowd:
    url: str
    event: int
    steps: list[str]
    headers: list[dict[str, str]]  # of each person
    seats: list[int]  # one for each person
    known: list[dict[str, Any]] = field(default_factory=list)  # from earlier steps
    one_by_one: bool = False
    pace: float = 0.0  # so many start in a second; 0: all at once
    window_seconds: float = 0.0  # that a payer spends in the gateway's window


@dataclass(frozen=True)
class Bought:
    seconds: float
    finished: int
    retries: int
    cpu_seconds: float  # of the crowd itself
    outcomes: dict[str, int]
    step_ms: dict[str, dict[str, float]]
    known: list[dict[str, Any]]

    def column(self, step: str) -> dict[str, float | int | str]:
        return dict(self.step_ms.get(step, {}))


class RunningCrowd:
    """A crowd in another process, so that it does not slow down this one."""

    def __init__(self, crowd: Crowd) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.buyers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdin
        self.process.stdin.write(json.dumps(asdict(crowd)) + "\n")
        self.process.stdin.flush()

    def result(self) -> Bought:
        printed, _ = self.process.communicate(timeout=1_800)
        return Bought(**json.loads(printed))


def buy(crowd: Crowd) -> Bought:
    return RunningCrowd(crowd).result()


class Refused(Exception):
    """A step was refused for good."""


class Buyer:
    """One person with a browser; what a step learns is known to the steps after it."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self.crowd, self.seat = crowd, crowd.seats[number]
        self.headers = dict(crowd.headers[number])
        self.known: dict[str, Any] = crowd.known[number] if crowd.known else {}
        self.connection = Connection(crowd.url)
        self.retries = 0

    # -- the queue --------------------------------------------------------------------------------

    async def join(self) -> None:
        self.known["token"] = (await self.call("POST", self._queue)).json().get("token")

    async def socket(self) -> None:
        """Wait for one's turn on a websocket."""
        headers = {"Authorization": f"Bearer {self.known['token']}", "Origin": self.crowd.url}
        path = f"/ws/events/{self.crowd.event}/queue/"
        for _ in range(ATTEMPTS):
            try:
                await wait_for_frame(self.crowd.url, path, headers, CALLED)
                return
            except OSError:
                self.retries += 1
                await asyncio.sleep(1)
        raise Refused("no turn")

    async def claim(self) -> None:
        await self.call("POST", f"{self._queue}claim/")

    @property
    def _queue(self) -> str:
        return f"/api/v1/events/{self.crowd.event}/queue/"

    # -- seats and money --------------------------------------------------------------------------

    async def seat_list(self) -> None:
        await self.call("GET", f"/api/v1/events/{self.crowd.event}/seats/")

    async def hold(self) -> None:
        path = f"/api/v1/events/{self.crowd.event}/reservations/"
        held = (await self.call("POST", path, {"seats": [self.seat]})).json()
        self.known |= {"code": held["code"], "payment_token": held["payment_token"]}
        self.known["payment_key"] = str(uuid4())

    async def pay(self) -> None:
        body = {
            "reservation": self.known["code"],
            "token": self.known["payment_token"],
            "payment_key": self.known["payment_key"],
            "consents": self.known["documents"],
        }
        self._note(await self.call("POST", "/api/v1/payments/", body))

    async def window(self) -> None:
        """The payer reads and agrees in the gateway's window, which is not ours."""
        await asyncio.sleep(self.crowd.window_seconds)

    async def confirm(self) -> None:
        body = {"payment_token": f"token-{self.known['number']}"}
        self._note(await self.call("POST", f"{self._payment}confirm/", body))

    async def settled(self) -> None:
        """Poll while the outcome is not known."""
        for _ in range(ATTEMPTS):
            if self.known["state"] != "CHARGING":
                break
            await asyncio.sleep(POLL_SECONDS)
            self._note(await self.call("GET", self._payment))
        if self.known["state"] != "SUCCEEDED":
            raise Refused(self.known["state"])

    @property
    def _payment(self) -> str:
        return f"/api/v1/payments/{self.known['number']}/"

    def _note(self, payment: Response) -> None:
        found = payment.json()
        self.known |= {"number": found["number"], "state": found["state"]}

    # -- the same through pages -------------------------------------------------------------------

    async def pay_on_page(self) -> None:
        """Open the checkout page, press its button, and follow to the payment window."""
        path = f"/orders/{self.known['code']}/pay/"
        page = await self.call("GET", path)
        form = dict(HIDDEN.findall(page.body.decode()))
        if cookie := CSRF_COOKIE.search(page.header("set-cookie")):
            self.headers["Cookie"] += f"; {cookie[1]}"
        window = await self._follow(
            await self.call("POST", path, form | {"agreed": "1"}, form=True)
        )
        self.known["number"] = window.split("/payments/")[1].partition("/")[0]

    async def confirm_on_page(self) -> None:
        """Come back from the gateway's window, and follow to the result."""
        number = self.known["number"]
        query = urlencode({"paymentId": number, "paymentToken": f"token-{number}"})
        await self._follow(await self.call("GET", f"/payments/{number}/return/?{query}"))
        self._note(await self.call("GET", self._payment))

    async def _follow(self, response: Response) -> str:
        """Follow redirects as a browser does; the last address."""
        path = ""
        while response.status in (302, 303):
            path = urljoin(path or "/", response.header("location"))
            response = await self.call("GET", path)
        return path

    # -- calls ------------------------------------------------------------------------------------

    async def call(
        self, method: str, path: str, data: dict[str, Any] | None = None, *, form: bool = False
    ) -> Response:
        """Ask until the answer is not “later”; a refusal ends this person's visit."""
        headers = {**self.headers, "Accept-Encoding": "gzip"}
        body = None if method == "GET" else b""
        if data is not None:
            body = (urlencode(data) if form else json.dumps(data)).encode()
            kind = "x-www-form-urlencoded" if form else "json"
            headers["Content-Type"] = f"application/{kind}"
        request = request_bytes(method, self.connection.netloc, path, headers, body)
        for _ in range(ATTEMPTS):
            try:
                response = await self.connection.ask(request)
            except OSError:
                response = Response(503, b"", b"{}")
            if response.status not in (429, 503):
                break
            self.retries += 1
            await asyncio.sleep(min(float(response.header("retry-after") or 1), 5))
        if response.status >= 400:
            is_json = b"json" in response.head
            code = response.json().get("code", "") if is_json else ""
            raise Refused(f"{response.status} {code}".strip())
        return response


class Visit:
    """The whole crowd: the times of its steps, and how it ended."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd
        self.buyers = [Buyer(crowd, number) for number in range(len(crowd.headers))]
        self.times: dict[str, list[float]] = {step: [] for step in crowd.steps}
        self.outcomes: Counter[str] = Counter()

    async def __call__(self) -> Bought:
        if "pay" in self.crowd.steps:
            await self._read_documents()
        cpu, began = own_cpu_seconds(), time.perf_counter()
        if self.crowd.one_by_one:
            for buyer in self.buyers:
                await self._visit(buyer)
        else:
            await asyncio.gather(*(self._come(*one) for one in enumerate(self.buyers)))
        seconds = time.perf_counter() - began
        return Bought(
            seconds=seconds,
            finished=self.outcomes["finished"],
            retries=sum(buyer.retries for buyer in self.buyers),
            cpu_seconds=own_cpu_seconds() - cpu,
            outcomes=dict(self.outcomes),
            step_ms={
                step: {"p50 ms": percentile(its, 0.5), "p95 ms": percentile(its, 0.95)}
                for step, its in self.times.items()
            },
            known=[buyer.known for buyer in self.buyers],
        )

    async def _read_documents(self) -> None:
        """What everybody agrees to with their order; read once, before the clock starts."""
        found = json.loads((await self.buyers[0].call("GET", "/api/v1/documents/")).body)
        ids = [document["id"] for document in found]
        for buyer in self.buyers:
            buyer.known["documents"] = ids

    async def _come(self, number: int, buyer: Buyer) -> None:
        if self.crowd.pace:
            await asyncio.sleep(number / self.crowd.pace)
        await self._visit(buyer)

    async def _visit(self, buyer: Buyer) -> None:
        for name in self.crowd.steps:
            step: Callable[[], Awaitable[None]] = getattr(buyer, name)
            began = time.perf_counter()
            try:
                await step()
            except Refused as refused:
                self.outcomes[f"{name}: {refused}"] += 1
                return
            self.times[name].append(time.perf_counter() - began)
        self.outcomes["finished"] += 1


async def run(crowd: dict[str, Any]) -> Bought:
    return await Visit(Crowd(**crowd))()


if __name__ == "__main__":
    print(json.dumps(asdict(run_loop(run(json.loads(sys.stdin.readline()))))))
