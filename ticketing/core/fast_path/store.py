"""Rendered copies in Redis, where all processes find them, and the lock of the one that renders."""

import asyncio

from ticketing.core import redis

# A process that died while rendering loses its lock after this time.
LOCK_MS = 2_000


async def shared_copy(key: str, *, keep_seconds: float) -> tuple[str, float] | None:
    """A copy and its age in seconds. The age follows from its remaining life, by Redis' clock."""
    client = redis.async_client()
    raw, left_ms = await asyncio.gather(client.get(_copy(key)), client.call("PTTL", _copy(key)))
    return (raw, keep_seconds - left_ms / 1000) if raw is not None and left_ms > 0 else None


async def acquire_render_lock(key: str) -> bool:
    return await redis.async_client().call("SET", _lock(key), 1, "NX", "PX", LOCK_MS) is not None


def release_render_lock(key: str) -> None:
    """Sent without waiting. After a very slow render the lock may be another's: then two processes
    render, which is harmless."""
    redis.async_client().call("DEL", _lock(key))


def share_copy(key: str, text: str, *, keep_seconds: float) -> None:
    """From a thread: the client for coroutines would keep the text among its packed arguments."""
    redis.client().set(_copy(key), text, px=max(int(keep_seconds * 1000), 1))


def _copy(key: str) -> str:
    return f"page:{{{key}}}:copy"


def _lock(key: str) -> str:
    return f"page:{{{key}}}:lock"
