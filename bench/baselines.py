"""Baselines: the least that a poll, a response and a push can cost on this server."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from django.conf import settings
from redis import asyncio as aioredis

from ticketing.core import clock, redis
from waiting_queue import store

HEADERS = [(b"content-type", b"application/json")]
BROADCAST, NEAR = "bench:broadcast", "bench:near"
_clients: list[Any] = []
_sockets: set[Any] = set()
_listening: list[asyncio.Task[None]] = []


async def run_script(parts: list[str], send: Any) -> None:
    """The Lua script of a poll, without authentication and serialization."""
    call = store.poll(int(parts[3]), parts[4], clock.now())
    if not _clients:
        client = aioredis.Redis.from_url(settings.QUEUE_REDIS_URL, decode_responses=True)
        await client.script_load(call.script.text)
        _clients.append(client)
    answer = await _clients[0].evalsha(call.script.sha, *call.arguments)
    await _respond(str(answer).encode(), send)


async def hello(send: Any) -> None:
    await _respond(b'{"hello":"world"}', send)


async def _respond(body: bytes, send: Any) -> None:
    headers = [*HEADERS, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def broadcast(receive: Any, send: Any) -> None:
    """Sends every published text to every socket unchanged."""
    await receive()
    await send({"type": "websocket.accept"})
    _sockets.add(send)
    try:
        while (await receive())["type"] != "websocket.disconnect":
            pass
    finally:
        _sockets.discard(send)


def listen() -> None:
    if not _listening:
        _listening.extend(
            [asyncio.create_task(_forward_broadcasts()), asyncio.create_task(_follow_near())]
        )


async def _forward_broadcasts() -> None:
    async for text in _published(BROADCAST):
        for send in list(_sockets):
            await send({"type": "websocket.send", "text": text})


async def _follow_near() -> None:
    """Changes how many people get every update while the server runs."""
    settings.LIVE_EVERYBODY = 0
    async for text in _published(NEAR):
        settings.LIVE_NEAR = int(text)


async def _published(channel: str) -> AsyncIterator[str]:
    while True:
        async with redis.listening(channel) as texts:
            async for text in texts:
                yield text
