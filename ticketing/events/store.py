"""The seat list in Redis: its version, the latest list, and the locks of those who build it.

A version is random and not a counter: a Redis that lost its last second can never give an old
version to new seats. It expires after a minute, so that a change whose new version was lost on the
way becomes visible then.
"""

import asyncio
import logging
import secrets
from dataclasses import dataclass
from typing import cast

from redis.client import NEVER_DECODE
from redis.exceptions import RedisError

from ticketing.core import redis
from ticketing.events import keys

VERSION_SECONDS = 60
# Longer than a version, so that there is a previous list to send while a new one is built.
LIST_SECONDS = 2 * VERSION_SECONDS
# A request that died while building loses its lock after this time.
BUILD_LOCK_MS = 2_000
# A dispatched request that has not begun to build by then waits for a thread: dispatch another.
DISPATCH_LOCK_MS = 1_000

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CachedSeatList:
    version: str
    body: bytes


def seats_version(event_id: int) -> str | None:
    return cast("str | None", redis.client().get(keys.seats_version(event_id)))


def ensure_seats_version(event_id: int) -> str:
    """The current version; sets one if there is none."""
    new = _new_version()
    before = redis.client().set(
        keys.seats_version(event_id), new, nx=True, get=True, ex=VERSION_SECONDS
    )
    return cast("str | None", before) or new


def next_seats_version(event_id: int) -> tuple[str, str, int]:
    """Key, value and lifetime, for a caller that sets it together with keys of its own."""
    return keys.seats_version(event_id), _new_version(), VERSION_SECONDS


def renew_seats_version(event_id: int) -> None:
    """Outdate all copies of the seat list. Call it after the commit; it never raises."""
    key, version, seconds = next_seats_version(event_id)
    try:
        redis.client().set(key, version, ex=seconds)
    except RedisError as outage:
        log.warning("event %s: seat list may be outdated for a minute: %s", event_id, outage)


def cached_seat_list(event_id: int) -> CachedSeatList | None:
    raw = redis.client().execute_command("GET", keys.seat_list(event_id), **{NEVER_DECODE: True})
    return _unpacked(cast("bytes | None", raw))


async def aseat_list_state(event_id: int) -> tuple[str | None, bool, CachedSeatList | None]:
    """The version, whether the build lock is held, and the latest list, in one round trip."""
    client = redis.async_client()
    version, build_lock, raw = await asyncio.gather(
        client.get(keys.seats_version(event_id)),
        client.get(keys.seat_list_build_lock(event_id)),
        client.get_bytes(keys.seat_list(event_id)),
    )
    return version, build_lock is not None, _unpacked(raw)


async def aacquire_dispatch_lock(event_id: int) -> bool:
    """True for one of many requests that find the list outdated at once: it builds the list."""
    key = keys.seat_list_dispatch_lock(event_id)
    return bool(await redis.async_client().call("SET", key, 1, "NX", "PX", DISPATCH_LOCK_MS))


def cache_seat_list(event_id: int, cached: CachedSeatList) -> None:
    raw = cached.version.encode() + b"\n" + cached.body
    redis.client().set(keys.seat_list(event_id), raw, ex=LIST_SECONDS)


def delete_seat_list(event_id: int) -> None:
    redis.client().delete(keys.seat_list(event_id))


def acquire_build_lock(event_id: int) -> bool:
    key = keys.seat_list_build_lock(event_id)
    return bool(redis.client().set(key, 1, nx=True, px=BUILD_LOCK_MS))


def release_build_lock(event_id: int, *, pause_ms: int) -> None:
    """Let another request build, after this pause."""
    build_lock = keys.seat_list_build_lock(event_id)
    dispatch_lock = keys.seat_list_dispatch_lock(event_id)
    if pause_ms:
        redis.client().set(build_lock, 1, px=pause_ms)
        redis.client().delete(dispatch_lock)
    else:
        redis.client().delete(build_lock, dispatch_lock)


def _unpacked(raw: bytes | None) -> CachedSeatList | None:
    if raw is None:
        return None
    version, _, body = raw.partition(b"\n")
    return CachedSeatList(version.decode(), body)


def _new_version() -> str:
    return secrets.token_urlsafe(9)
