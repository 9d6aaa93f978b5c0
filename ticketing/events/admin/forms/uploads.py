"""Keeps an uploaded plan file for the minutes between its preview and its import."""

import secrets
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass

from django.core.cache import cache

KEPT_SECONDS = 30 * 60


@dataclass(frozen=True)
class Upload:
    name: str
    content: bytes


def keep(user_id: int, upload: Upload) -> str:
    """A token with which the same person, and nobody else, gets the file back."""
    token = secrets.token_urlsafe(16)
    packed = b64encode(zlib.compress(upload.content)).decode()
    cache.set(_key(user_id, token), [upload.name, packed], KEPT_SECONDS)
    return token


def kept(user_id: int, token: str) -> Upload | None:
    found = cache.get(_key(user_id, token)) if token else None
    if found is None:
        return None
    name, packed = found
    return Upload(name=name, content=zlib.decompress(b64decode(packed)))


def _key(user_id: int, token: str) -> str:
    return f"plan-upload:{user_id}:{token[:40]}"
