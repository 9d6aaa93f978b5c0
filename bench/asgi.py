"""The site, and beside it a raw path with one call of Redis as a floor to measure from."""

from typing import Any

from ticketing.asgi import application as site  # first: it loads the apps

from django.conf import settings  # isort: skip
from redis import asyncio as aioredis  # isort: skip

from ticketing.core import clock  # isort: skip
from waiting_queue import store  # isort: skip

_clients: list[Any] = []
HEADERS = [(b"content-type", b"application/json")]


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http" and scope["path"].startswith("/bench/raw/"):
        await raw(scope["path"].split("/"), send)
    else:
        await site(scope, receive, send)


async def raw(parts: list[str], send: Any) -> None:
    """The poll's own script; nobody is asked who they are, nothing is worked out."""
    decision = store.touch(int(parts[3]), parts[4], clock.now())
    if not _clients:
        client = aioredis.Redis.from_url(settings.QUEUE_REDIS_URL, decode_responses=True)
        await client.script_load(decision.script.text)
        _clients.append(client)
    answer = await _clients[0].evalsha(*decision.call)
    body = str(answer).encode()
    headers = [*HEADERS, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
