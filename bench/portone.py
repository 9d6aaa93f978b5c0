"""A stub of PortOne's V2 API, in memory: the calls that the site makes, and nothing else.

Its latency and its share of failing calls can be changed while it runs (`POST /bench`). Half of the
failures come before the call is carried out, half after it, as if the answer was lost.
"""

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

STORE_ID, CHANNEL_KEY, SECRET = "store-bench", "channel-key-bench", "bench-secret"
WEBHOOK_SECRET = "whsec_" + "YmVuY2gtd2ViaG9vay1zZWNyZXQtMDEyMzQ1Njc4OQ=="
JSON, HTML = (b"content-type", b"application/json"), (b"content-type", b"text/html")


class Refused(Exception):
    def __init__(self, status: int, kind: str) -> None:
        super().__init__(kind)
        self.status, self.kind = status, kind


@dataclass
class Payment:
    id: str
    amount: int
    currency: str
    status: str = "REGISTERED"
    cancelled: int = 0
    cancellations: list[dict[str, Any]] = field(default_factory=list)
    at: str = field(default_factory=lambda: now())

    def body(self) -> dict[str, Any]:
        """Every field that PortOne's SDK requires."""
        body: dict[str, Any] = {
            "status": self.status,
            "id": self.id,
            "transactionId": f"tx-{self.id}",
            "pgTxId": f"pg-{self.id}",
            "merchantId": "merchant-bench",
            "storeId": STORE_ID,
            "channel": CHANNEL,
            "version": "V2",
            "requestedAt": self.at,
            "updatedAt": self.at,
            "statusChangedAt": self.at,
            "paidAt": self.at,
            "orderName": "bench",
            "amount": self._amounts(),
            "currency": self.currency,
            "customer": {},
            "origin": {"platformType": "PC", "ipAddress": "127.0.0.1"},
            "webhooks": [],
            "disputes": [],
            "method": {"type": "PaymentMethodCard"},
        }
        if self.cancellations:
            body |= {"cancellations": self.cancellations, "cancelledAt": self.at}
        return body

    def _amounts(self) -> dict[str, int]:
        vat = self.amount // 11
        return {
            "total": self.amount,
            "taxFree": 0,
            "vat": vat,
            "supply": self.amount - vat,
            "discount": 0,
            "paid": self.amount,
            "cancelled": self.cancelled,
            "cancelledTaxFree": 0,
        }


CHANNEL = {
    "type": "LIVE",
    "id": "channel-id-bench",
    "key": CHANNEL_KEY,
    "name": "bench",
    "pgProvider": "TOSSPAYMENTS",
    "pgMerchantId": "bench",
}


class PortOne:
    """The ASGI application."""

    def __init__(self) -> None:
        self.payments: dict[str, Payment] = {}
        self.calls: Counter[str] = Counter()
        self.latency = self.failures = 0.0
        self.in_flight = self.most_in_flight = 0
        self.random = random.Random(1)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = await _body(receive)
        if scope["path"] == "/bench":
            if scope["method"] == "POST":
                self.set(**json.loads(body))
            return await _respond(send, 200, self.counts())
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self._answer(scope, body, send)
        finally:
            self.in_flight -= 1

    def set(self, *, latency: float, failures: float) -> None:
        self.latency, self.failures = latency, failures
        self.most_in_flight = 0
        self.calls.clear()

    def counts(self) -> dict[str, Any]:
        paid = sum(payment.status != "REGISTERED" for payment in self.payments.values())
        return {"paid": paid, "calls": self.calls, "most_in_flight": self.most_in_flight}

    async def _answer(self, scope: Any, body: bytes, send: Any) -> None:
        fails = self.random.random() < self.failures
        is_lost = fails and self.random.random() < 0.5
        if self.latency:
            await asyncio.sleep(self.latency)
        status, answer = (503, {}) if fails and not is_lost else self._carry_out(scope, body)
        await _respond(send, 503 if fails else status, {} if fails else answer, is_html=fails)

    def _carry_out(self, scope: Any, raw: bytes) -> tuple[int, dict[str, Any]]:
        _, _, *parts = scope["path"].split("/")
        query = parse_qs(scope["query_string"].decode()).get("requestBody", ["{}"])[0]
        body = json.loads((query if scope["method"] == "GET" else raw) or "{}")
        name = parts[1] if len(parts) > 1 else "get" if parts else "list"
        self.calls[name] += 1
        try:
            if dict(scope["headers"]).get(b"authorization") != f"PortOne {SECRET}".encode():
                raise Refused(401, "UNAUTHORIZED")
            return 200, getattr(self, name.replace("-", "_"))(body, *parts[:1])
        except Refused as refused:
            return refused.status, {"type": refused.kind, "message": refused.kind}

    # -- the calls --------------------------------------------------------------------------------

    def pre_register(self, body: dict[str, Any], id: str) -> dict[str, Any]:
        if self._is_paid(id):
            raise Refused(409, "ALREADY_PAID")
        self.payments[id] = Payment(id, body["totalAmount"], body["currency"])
        return {}

    def confirm(self, body: dict[str, Any], id: str) -> dict[str, Any]:
        payment = self.payments.get(id)
        if payment is None:
            raise Refused(404, "PAYMENT_NOT_FOUND")
        if self._is_paid(id):
            raise Refused(409, "ALREADY_PAID")
        payment.status, payment.at = "PAID", now()
        return {"pgTxId": f"pg-{id}", "paidAt": payment.at}

    def get(self, body: dict[str, Any], id: str) -> dict[str, Any]:
        if not self._is_paid(id):
            raise Refused(404, "PAYMENT_NOT_FOUND")
        return self.payments[id].body()

    def cancel(self, body: dict[str, Any], id: str) -> dict[str, Any]:
        if not self._is_paid(id):
            raise Refused(409, "PAYMENT_NOT_PAID")
        payment = self.payments[id]
        amount = body.get("amount", payment.amount - payment.cancelled)
        payment.cancelled += amount
        is_all = payment.cancelled == payment.amount
        payment.status, payment.at = ("CANCELLED" if is_all else "PARTIAL_CANCELLED"), now()
        cancellation = {
            "status": "SUCCEEDED",
            "id": f"cancellation-{len(payment.cancellations)}-{id}",
            "totalAmount": amount,
            "taxFreeAmount": 0,
            "vatAmount": amount // 11,
            "reason": body["reason"],
            "requestedAt": payment.at,
            "cancelledAt": payment.at,
            "trigger": "API",
        }
        payment.cancellations.append(cancellation)
        return {"cancellation": cancellation}

    def list(self, body: dict[str, Any]) -> dict[str, Any]:
        page = body.get("page", {})
        number, size = page.get("number", 0), page.get("size", 10)
        paid = [payment for payment in self.payments.values() if self._is_paid(payment.id)]
        items = [payment.body() for payment in paid[number * size : (number + 1) * size]]
        return {"items": items, "page": {"number": number, "size": size, "totalCount": len(paid)}}

    def _is_paid(self, id: str) -> bool:
        return id in self.payments and self.payments[id].status != "REGISTERED"


def now() -> str:
    stamp = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")


async def _body(receive: Any) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def _respond(send: Any, status: int, body: dict[str, Any], *, is_html: bool = False) -> None:
    content = b"<html></html>" if is_html else json.dumps(body).encode()
    length = (b"content-length", str(len(content)).encode())
    headers = [HTML if is_html else JSON, length]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
