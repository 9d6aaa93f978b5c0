"""Forwards the payment window to the sandbox's own process: browsers know one origin only."""

import asyncio
import logging
from functools import cache

import aiohttp
from django.conf import settings
from yarl import URL

from payments.sandbox.api.requests import (
    ClientGone,
    Receive,
    Scope,
    Send,
    read_body,
    send_response,
)
from ticketing.core.event_loop import at_end

DROPPED = {b"connection", b"keep-alive", b"transfer-encoding", b"upgrade", b"te", b"trailer"}
TIMEOUT = 10
# An idle connection is used again for a shorter time than the sandbox keeps it (uvicorn: 5 s): one
# that it closes in that moment fails, and only what changes nothing is sent again.
IDLE_SECONDS = 2

log = logging.getLogger(__name__)


async def forward(scope: Scope, receive: Receive, send: Send) -> None:
    """Forward one request; 503 while the sandbox restarts."""
    try:
        body = await read_body(receive)
        status, headers, content = await _ask_sandbox(scope, body)
    except ClientGone:
        return
    except (aiohttp.ClientError, TimeoutError) as failure:
        log.warning("%s %s: the sandbox failed: %r", scope["method"], scope["path"], failure)
        await send_response(send, 503, b"The payment sandbox does not answer.", b"text/plain")
        return
    headers = [pair for pair in headers if pair[0].lower() not in DROPPED]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


async def _ask_sandbox(scope: Scope, body: bytes) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    path = (scope["raw_path"] + b"?" + scope["query_string"]).decode("latin1")
    url = URL(f"http://127.0.0.1:{settings.PAYMENTS_SANDBOX_PORT}{path}", encoded=True)
    async with _session(asyncio.get_running_loop()).request(
        scope["method"], url, headers=_headers(scope), data=body or None, allow_redirects=False
    ) as response:
        return response.status, list(response.raw_headers), await response.read()


def _headers(scope: Scope) -> list[tuple[str, str]]:
    """The same headers; the sandbox trusts what this process says about the client."""
    dropped = {*DROPPED, b"accept-encoding", b"content-length"}
    client = scope.get("client") or ("127.0.0.1", 0)
    return [
        *(
            (n.decode("latin1"), v.decode("latin1"))
            for n, v in scope["headers"]
            if n not in dropped
        ),
        ("accept-encoding", "identity"),
        ("x-forwarded-for", client[0]),
        ("x-forwarded-proto", scope["scheme"]),
    ]


@cache
def _session(loop: asyncio.AbstractEventLoop) -> aiohttp.ClientSession:
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=TIMEOUT),
    )
    at_end(session.close)
    return session
