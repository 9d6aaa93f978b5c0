"""Signed tokens: text that anybody may read and only we can write. Nothing is stored."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings

SIGNATURE_BYTES = 20


class BadSignature(ValueError):
    """The text is no token of this kind, or was not signed by us."""


@dataclass(frozen=True)
class TokenSigner:
    """Signs one kind of token; the `purpose` keeps one kind from passing for another."""

    prefix: str
    purpose: str

    def sign(self, payload: str) -> str:
        raw = payload.encode()
        return f"{self.prefix}{_text(raw)}.{_text(self._signature(raw, settings.SECRET_KEY))}"

    def payload_of(self, token: str) -> str:
        """What the token says, if it was signed with a key that is still accepted."""
        if not token.startswith(self.prefix):
            raise BadSignature()
        try:
            raw, signature = map(_bytes, token.removeprefix(self.prefix).split(".", 1))
            payload = raw.decode()
        except ValueError:
            raise BadSignature() from None
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        if not any(hmac.compare_digest(signature, self._signature(raw, key)) for key in keys):
            raise BadSignature()
        return payload

    def _signature(self, raw: bytes, key: str) -> bytes:
        return hmac.digest(f"{self.purpose}:{key}".encode(), raw, sha256)[:SIGNATURE_BYTES]


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
