"""Forwards the payment window to the sandbox's own process: browsers know one origin only."""

from functools import cache

import httpx
from django.conf import settings

from payments.sandbox.api.requests import (
    ClientGone,
    Receive,
    Scope,
    Send,
    read_body,
    send_response,
)

HOP_BY_HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"upgrade", b"te", b"trailer"}
TIMEOUT = 10


async def forward(scope: Scope, receive: Receive, send: Send) -> None:
    """Forward one request; 503 while the sandbox restarts."""
    try:
        request = _request(scope, await read_body(receive))
        response = await _client().send(request)
    except ClientGone:
        return
    except httpx.TransportError:
        await send_response(send, 503, b"The payment sandbox does not answer.", b"text/plain")
        return
    headers = [pair for pair in response.headers.raw if pair[0].lower() not in HOP_BY_HOP]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})


def _request(scope: Scope, body: bytes) -> httpx.Request:
    """The same request; the sandbox trusts what this process says about the client."""
    dropped = {*HOP_BY_HOP, b"accept-encoding", b"content-length"}
    headers = [pair for pair in scope["headers"] if pair[0] not in dropped]
    client = scope.get("client") or ("127.0.0.1", 0)
    headers += [
        (b"x-forwarded-for", client[0].encode()),
        (b"x-forwarded-proto", scope["scheme"].encode()),
    ]
    url = httpx.URL(
        scheme="http",
        host="127.0.0.1",
        port=settings.PAYMENTS_SANDBOX_PORT,
        raw_path=scope["raw_path"] + b"?" + scope["query_string"],
    )
    return httpx.Request(scope["method"], url, headers=headers, content=body)


@cache
def _client() -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=TIMEOUT, trust_env=False)
