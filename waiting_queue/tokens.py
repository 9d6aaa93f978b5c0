"""The `qr_…` token: says which person holds which number of which event, signed by us.

Nothing is stored: it is bound to the number, so it dies with the place in line.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from django.conf import settings

from waiting_queue.errors import BadQueueToken

PREFIX = "qr_"


@dataclass(frozen=True, slots=True)
class QueueToken:
    event_id: int
    person: str
    number: int
    epoch: str

    def sign(self) -> str:
        payload = f"{self.event_id}.{self.person}.{self.number}.{self.epoch}".encode()
        return PREFIX + _text(payload) + "." + _text(_signature(payload, settings.SECRET_KEY))


@lru_cache(maxsize=16_384)
def read_token(token: str) -> QueueToken:
    """What the token says, if we signed it. Who polls shows the same one again and again."""
    try:
        payload, signature = map(_bytes, token.removeprefix(PREFIX).split(".", 1))
        event_id, person, number, epoch = payload.decode().split(".")
        read = QueueToken(int(event_id), person, int(number), epoch)
    except ValueError:
        raise BadQueueToken() from None
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    if not any(hmac.compare_digest(signature, _signature(payload, key)) for key in keys):
        raise BadQueueToken()
    return read


def _signature(payload: bytes, key: str) -> bytes:
    return hmac.digest(b"queue token:" + key.encode(), payload, sha256)[:20]


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
