"""The seat list of an event as the API sends it (docs/api.md has the format).

It is built once per version, kept compressed in Redis and sent from there. While one request
builds a new list, the others get the previous one. Without Redis the list comes straight from
PostgreSQL.
"""

import gzip
import json
import logging
from collections.abc import Collection
from dataclasses import dataclass
from time import sleep

from redis.exceptions import RedisError

from ticketing.core import clock
from ticketing.core.errors import NotFound
from ticketing.events import selectors, store
from ticketing.events.seat_list.body import seat_list_body
from ticketing.events.store import CachedSeatList

# While another request builds the very first list: poll so often, then build it here as well.
POLLS, POLL_SECONDS = 25, 0.02
# A build that took longer than this keeps the lock three times as long again, so that building
# uses at most a quarter of one thread, however fast the seats change.
SHORT_BUILD_SECONDS, PAUSE_FACTOR = 0.05, 3

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SeatList:
    """`body` is compressed JSON, or None if the client's copy is still current."""

    version: str | None
    body: bytes | None


def seat_list(event_id: int, *, known: Collection[str]) -> SeatList:
    """The list for a client that already has these versions."""
    try:
        version = store.seats_version(event_id)
        if version in known:
            return SeatList(version, None)
        cached = store.cached_seat_list(event_id)
        if cached is None or cached.version != version:
            cached = _rebuild(event_id, cached)
    except RedisError as outage:
        log.warning("event %s: seat list read from the database: %s", event_id, outage)
        return SeatList(None, compressed_body(event_id))
    return SeatList(cached.version, None if cached.version in known else cached.body)


async def aseat_list(event_id: int, *, known: Collection[str]) -> SeatList | None:
    """The same from Redis alone; None if this request must build the list, or Redis is down."""
    try:
        version, is_being_built, cached = await store.aseat_list_state(event_id)
        if version and version in known:
            return SeatList(version, None)
        if cached and cached.version != version and not is_being_built:
            cached = None if await store.aacquire_dispatch_lock(event_id) else cached
    except RedisError:
        return None
    if cached is None:
        return None
    return SeatList(cached.version, None if cached.version in known else cached.body)


def compressed_body(event_id: int) -> bytes:
    """The list from PostgreSQL. Not found unless the public may see the event."""
    body = seat_list_body(selectors.public_event(event_id))
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def _rebuild(event_id: int, previous: CachedSeatList | None) -> CachedSeatList:
    """Build the list if no other request does; otherwise use the previous list."""
    if store.acquire_build_lock(event_id):
        return _build_under_lock(event_id)
    return previous or _first_list(event_id)


def _first_list(event_id: int) -> CachedSeatList:
    """Wait for the other request's list; build it here if that request gave up or is too slow."""
    for _ in range(POLLS):
        sleep(POLL_SECONDS)
        if cached := store.cached_seat_list(event_id):
            return cached
        if store.acquire_build_lock(event_id):
            return _build_under_lock(event_id)
    return build(event_id)


def _build_under_lock(event_id: int) -> CachedSeatList:
    began, pause_ms = clock.monotonic(), 0
    try:
        # Another request may have finished between our first look and our lock.
        cached = store.cached_seat_list(event_id)
        if cached is None or cached.version != store.seats_version(event_id):
            cached = build(event_id)
        took = clock.monotonic() - began
        pause_ms = int(took * PAUSE_FACTOR * 1000) if took > SHORT_BUILD_SECONDS else 0
        return cached
    finally:
        store.release_build_lock(event_id, pause_ms=pause_ms)


def build(event_id: int) -> CachedSeatList:
    """Build and cache the list: read the version first, then the seats.

    A change in between makes the body newer than its version, which costs one more build. The
    other way round the body could be older than its version and would count as current.
    """
    version = store.seats_version(event_id)
    if version is None:
        selectors.public_event(event_id)  # a guessed event id must not leave a key behind
        version = store.ensure_seats_version(event_id)
    try:
        cached = CachedSeatList(version, compressed_body(event_id))
    except NotFound:
        store.delete_seat_list(event_id)  # back in draft: the previous list must not be sent
        raise
    store.cache_seat_list(event_id, cached)
    return cached
