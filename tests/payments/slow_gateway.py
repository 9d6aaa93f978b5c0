"""A small PortOne on a real port whose answers take as long as a test wants."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

AT = "2026-11-17T00:00:00Z"


class SlowGateway:
    """Knows the amounts that were registered; whatever is confirmed is paid."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.release = asyncio.Event()
        self.release.set()
        self.stopped = asyncio.Event()
        self.hanging: set[str] = set()  # payments that are not answered
        self.dribbles = False  # one byte at a time, for ever
        self.amounts: dict[str, int] = {}
        self.paid: set[str] = set()
        self.in_flight = self.most_in_flight = 0
        self.charges: list[str] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def hold_back(self) -> None:
        """Answer nobody until `let_go`."""
        self.loop.call_soon_threadsafe(self.release.clear)

    def let_go(self) -> None:
        self.loop.call_soon_threadsafe(self.release.set)

    async def run(self, started: threading.Event) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self.stopped.wait()
        server.close()
        connected = asyncio.all_tasks() - {asyncio.current_task()}
        for task in connected:
            task.cancel()
        await asyncio.gather(*connected, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(head.decode(), reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass  # the client is gone, or the test is over
        finally:
            writer.close()

    async def _answer(
        self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        path = head.split(" ", 2)[1]
        lengths = [
            line for line in head.lower().split("\r\n") if line.startswith("content-length:")
        ]
        raw = await reader.readexactly(int(lengths[0].split(":")[1])) if lengths else b""
        number, _, action = path.split("?")[0].removeprefix("/payments/").partition("/")
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self.release.wait()
            while number in self.hanging:
                await asyncio.sleep(0.01)
            body = json.dumps(self._act(number, action, json.loads(raw or b"{}"))).encode()
        finally:
            self.in_flight -= 1
        if self.dribbles:
            await self._dribble(writer)
        status = "200 OK" if body != b"null" else "404 Not Found"
        body = body if body != b"null" else b'{"type": "PAYMENT_NOT_FOUND", "message": "none"}'
        writer.write(
            f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n".encode()
            + body
        )
        await writer.drain()

    async def _dribble(self, writer: asyncio.StreamWriter) -> None:
        """Each byte comes in time for a timeout between two of them."""
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    def _act(self, number: str, action: str, body: dict[str, Any]) -> Any:
        if action == "pre-register":
            self.amounts[number] = body["totalAmount"]
            return {}
        if action == "confirm":
            self.charges.append(number)
            self.paid.add(number)
            return {"pgTxId": "pg", "paidAt": AT}
        return self._payment(number) if number in self.paid else None

    def _payment(self, number: str) -> dict[str, Any]:
        total = self.amounts[number]
        amount = {"total": total, "taxFree": 0, "vat": 0, "supply": total, "discount": 0}
        amount |= {"paid": total, "cancelled": 0, "cancelledTaxFree": 0}
        channel = {"type": "TEST", "id": "c", "key": "k", "name": "n", "pgMerchantId": "m"}
        times = dict.fromkeys(("requestedAt", "updatedAt", "statusChangedAt", "paidAt"), AT)
        return {
            "origin": {"platformType": "PC", "ipAddress": "127.0.0.1"},
            "status": "PAID",
            "id": number,
            "transactionId": "tx",
            "merchantId": "m",
            "storeId": "s",
            "version": "V2",
            "orderName": "o",
            "currency": "KRW",
            "customer": {},
            "pgTxId": "pg",
            "webhooks": [],
            "disputes": [],
            "cancellations": [],
            "amount": amount,
            "channel": channel | {"pgProvider": "TOSSPAYMENTS"},
            **times,
        }


@contextmanager
def slow_gateway() -> Iterator[SlowGateway]:
    gateway, started = SlowGateway(), threading.Event()
    running = gateway.loop.run_until_complete
    thread = threading.Thread(target=lambda: running(gateway.run(started)), daemon=True)
    thread.start()
    assert started.wait(60)
    yield gateway
    gateway.loop.call_soon_threadsafe(gateway.stopped.set)
    thread.join(60)
    gateway.loop.close()
