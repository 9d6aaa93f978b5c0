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
        return self._token(payload.encode(), settings.SECRET_KEY).decode()

    def payload_of(self, token: str) -> str:
        """What the token says, if it was signed with a key that is still accepted.

        The whole text is compared: base64 has several spellings of the same bytes, a token has one.
        """
        try:
            text = token.removeprefix(self.prefix).split(".", 1)[0]
            raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
            payload, given = raw.decode(), token.encode()
        except ValueError:
            raise BadSignature() from None
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        if not any(hmac.compare_digest(given, self._token(raw, key)) for key in keys):
            raise BadSignature()
        return payload

    def _token(self, raw: bytes, key: str) -> bytes:
        signature = hmac.digest(f"{self.purpose}:{key}".encode(), raw, sha256)[:SIGNATURE_BYTES]
        return b"%s%s.%s" % (self.prefix.encode(), _base64(raw), _base64(signature))


def _base64(raw: bytes) -> bytes:
    return urlsafe_b64encode(raw).rstrip(b"=")
