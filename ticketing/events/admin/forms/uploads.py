"""Stores an uploaded plan file between its preview and its import."""

import secrets
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass

from django.core.cache import cache

STORED_SECONDS = 30 * 60


@dataclass(frozen=True)
class Upload:
    name: str
    content: bytes


def store_upload(user_id: int, upload: Upload) -> str:
    """Cache the file and return a token with which only the same user can load it."""
    token = secrets.token_urlsafe(16)
    packed = b64encode(zlib.compress(upload.content)).decode()
    cache.set(_key(user_id, token), [upload.name, packed], STORED_SECONDS)
    return token


def load_upload(user_id: int, token: str) -> Upload | None:
    stored = cache.get(_key(user_id, token)) if token else None
    if stored is None:
        return None
    name, packed = stored
    return Upload(name=name, content=zlib.decompress(b64decode(packed)))


def _key(user_id: int, token: str) -> str:
    return f"plan-upload:{user_id}:{token[:40]}"
