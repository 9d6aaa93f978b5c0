"""The `qp_…` token: says that this person may pay for this reservation, for ten minutes.

It comes with the hold, which is given only to people whose turn it is. Nothing is stored.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta
from hashlib import sha256

from django.conf import settings

from reservations.errors import BadPaymentToken

PREFIX = "qp_"
LASTS = timedelta(minutes=10)


def payment_token(*, code: str, fan_id: int, now: datetime) -> str:
    payload = f"{code}.{fan_id}.{int((now + LASTS).timestamp())}".encode()
    return PREFIX + _text(payload) + "." + _text(_signature(payload, settings.SECRET_KEY))


def require_payment_token(token: str, *, code: str, fan_id: int, now: datetime) -> None:
    payload = _signed_payload(token)
    whose, _, until = payload.decode().rpartition(".")
    if whose != f"{code}.{fan_id}" or now.timestamp() > int(until):
        raise BadPaymentToken()


def _signed_payload(token: str) -> bytes:
    """What the token says, if we signed it."""
    try:
        payload, signature = map(_bytes, token.removeprefix(PREFIX).split(".", 1))
    except ValueError:
        raise BadPaymentToken() from None
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    signed = any(hmac.compare_digest(signature, _signature(payload, key)) for key in keys)
    if not signed or not token.startswith(PREFIX):
        raise BadPaymentToken()
    return payload


def _signature(payload: bytes, key: str) -> bytes:
    return hmac.digest(b"payment token:" + key.encode(), payload, sha256)[:20]


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
