"""All seats of an event in one small answer (docs/api.md has the format).

Built once per version, kept compressed in Redis, and served from there. While one request builds,
the others get the list before it: it lacks only what changed since that build began. Redis only
makes this fast: without it the list comes straight from PostgreSQL.
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
from ticketing.events.seat_list_body import seat_list_body
from ticketing.events.store import KeptSeatList

# Who finds another one building the very first list waits so often, so long, then builds too.
WAITS, WAIT_SECONDS = 25, 0.02
# Building a big list takes at most a quarter of one thread, however fast the seats change.
QUICK_SECONDS, RESTS = 0.05, 3

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SeatList:
    """`body` is compressed JSON; None says that the reader's copy is still right."""

    version: str | None
    body: bytes | None


def seat_list(event_id: int, *, known: Collection[str]) -> SeatList:
    """The list for a reader who has these versions already."""
    try:
        return _kept_or_built(event_id, known)
    except RedisError as outage:
        log.warning("event %s: a seat list was read from the database: %s", event_id, outage)
        return SeatList(None, compressed_body(event_id))


async def aseat_list(event_id: int, *, known: Collection[str]) -> SeatList | None:
    """The same for a crowd, without a thread; None if it has to be built, or Redis is down."""
    try:
        version, is_built_anew, kept = await store.aseat_list(event_id)
        if version and version in known:
            return SeatList(version, None)
        if kept and kept.version != version and not is_built_anew:
            kept = None if await store.asent_to_build(event_id) else kept
    except RedisError:
        return None
    if kept is None:
        return None
    return SeatList(kept.version, None if kept.version in known else kept.body)


def compressed_body(event_id: int) -> bytes:
    """From PostgreSQL, now. Not found unless the public may see the event."""
    body = seat_list_body(selectors.public_event(event_id))
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def _kept_or_built(event_id: int, known: Collection[str]) -> SeatList:
    version = store.seats_version(event_id)
    if version in known:
        return SeatList(version, None)
    kept = store.kept_seat_list(event_id)
    if kept is None or kept.version != version:
        kept = _built_by_one(event_id, kept)
    return SeatList(kept.version, None if kept.version in known else kept.body)


def _built_by_one(event_id: int, old: KeptSeatList | None) -> KeptSeatList:
    if store.become_builder(event_id):
        return _build_and_rest(event_id)
    return old or _wait_for_the_first(event_id)


def _wait_for_the_first(event_id: int) -> KeptSeatList:
    """Take the other one's list, or their place if they gave up, or lose patience."""
    for _ in range(WAITS):
        sleep(WAIT_SECONDS)
        if kept := store.kept_seat_list(event_id):
            return kept
        if store.become_builder(event_id):
            return _build_and_rest(event_id)
    return build(event_id)


def _build_and_rest(event_id: int) -> KeptSeatList:
    began, rest_ms = clock.monotonic(), 0
    try:
        kept = _built_meanwhile(event_id) or build(event_id)
        took = clock.monotonic() - began
        rest_ms = int(took * RESTS * 1000) if took > QUICK_SECONDS else 0
        return kept
    finally:
        store.stop_building(event_id, rest_ms=rest_ms)


def _built_meanwhile(event_id: int) -> KeptSeatList | None:
    """The builder before us may have finished between our look and our turn."""
    kept = store.kept_seat_list(event_id)
    return kept if kept and kept.version == store.seats_version(event_id) else None


def build(event_id: int) -> KeptSeatList:
    """Read the version first, then the seats.

    A change in between makes the body newer than its version, which costs one more build. The
    other way round the body could be older than its version, and would be taken for current.
    """
    version = store.seats_version(event_id) or _first_version(event_id)
    try:
        kept = KeptSeatList(version, compressed_body(event_id))
    except NotFound:
        store.forget_seat_list(event_id)  # back in draft: nobody gets the list before it
        raise
    store.keep_seat_list(event_id, kept)
    return kept


def _first_version(event_id: int) -> str:
    """Only for an event that is there, so that guessing addresses leaves no keys behind."""
    selectors.public_event(event_id)
    return store.begin_seats_version(event_id)
