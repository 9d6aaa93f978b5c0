"""The seat list in Redis: its version, its newest body, and who builds it.

A version is a random word and not a number: a Redis that lost its last second can never give an
old version to new seats. It is forgotten after a minute, so that even a change whose news was lost
on the way is seen then.
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
# Longer than a version, so that there is an old list to show while a new one is built.
LIST_SECONDS = 2 * VERSION_SECONDS
# A builder that died is replaced after so long.
BUILDER_MS = 2_000
# Who was sent to build, and has not begun after so long, waits for a thread: send another.
ERRAND_MS = 1_000

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeptSeatList:
    version: str
    body: bytes


def seats_version(event_id: int) -> str | None:
    return cast("str | None", redis.client().get(keys.seats_version(event_id)))


def begin_seats_version(event_id: int) -> str:
    """The version there is, or else a new one: whoever asks first names it."""
    new = _new_version()
    before = redis.client().set(
        keys.seats_version(event_id), new, nx=True, get=True, ex=VERSION_SECONDS
    )
    return cast("str | None", before) or new


def next_seats_version(event_id: int) -> tuple[str, str, int]:
    """Key, value and seconds, for whoever writes it together with something of their own."""
    return keys.seats_version(event_id), _new_version(), VERSION_SECONDS


def seats_changed(event_id: int) -> None:
    """Call it after the commit. It never fails: PostgreSQL has the truth, and versions end."""
    key, version, seconds = next_seats_version(event_id)
    try:
        redis.client().set(key, version, ex=seconds)
    except RedisError as outage:
        log.warning("event %s: the seat list may be a minute old: %s", event_id, outage)


def kept_seat_list(event_id: int) -> KeptSeatList | None:
    raw = redis.client().execute_command("GET", keys.seat_list(event_id), **{NEVER_DECODE: True})
    return _kept(cast("bytes | None", raw))


async def aseat_list(event_id: int) -> tuple[str | None, bool, KeptSeatList | None]:
    """The version, whether somebody builds or rests from it, and the newest list; in one trip."""
    client = redis.async_client()
    version, builder, raw = await asyncio.gather(
        client.get(keys.seats_version(event_id)),
        client.get(keys.seat_list_builder(event_id)),
        client.get_bytes(keys.seat_list(event_id)),
    )
    return version, builder is not None, _kept(raw)


async def asent_to_build(event_id: int) -> bool:
    """Of many who find the list outdated at once, one; the others take the list before it."""
    key = keys.seat_list_errand(event_id)
    return bool(await redis.async_client().call("SET", key, 1, "NX", "PX", ERRAND_MS))


def _kept(raw: bytes | None) -> KeptSeatList | None:
    if raw is None:
        return None
    version, _, body = raw.partition(b"\n")
    return KeptSeatList(version.decode(), body)


def keep_seat_list(event_id: int, kept: KeptSeatList) -> None:
    raw = kept.version.encode() + b"\n" + kept.body
    redis.client().set(keys.seat_list(event_id), raw, ex=LIST_SECONDS)


def forget_seat_list(event_id: int) -> None:
    redis.client().delete(keys.seat_list(event_id))


def become_builder(event_id: int) -> bool:
    return bool(redis.client().set(keys.seat_list_builder(event_id), 1, nx=True, px=BUILDER_MS))


def stop_building(event_id: int, *, rest_ms: int) -> None:
    """Let the next one build, after a rest."""
    builder, errand = keys.seat_list_builder(event_id), keys.seat_list_errand(event_id)
    if rest_ms:
        redis.client().set(builder, 1, px=rest_ms)
        redis.client().delete(errand)
    else:
        redis.client().delete(builder, errand)


def _new_version() -> str:
    return secrets.token_urlsafe(9)
