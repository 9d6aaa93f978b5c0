"""The `qt_…` text of a QR code: the ticket's ids, signed.

Anybody with the public key (`/tickets/keys.json`) can verify it offline. Only the database knows
whether the ticket is still valid.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from functools import cache

from django.conf import settings

from reservations.models import Ticket
from reservations.tickets import ed25519

PREFIX = "qt_"
# Prefix of the signed message, so that no other signature by this key passes for a ticket.
CONTEXT = b"ticket 1:"
SIGNATURE_BYTES = 64
MAX_LENGTH = 200
# A code stays valid for so long after the end, or after the start if there is no end.
VALID_AFTER_END = timedelta(hours=12)


@dataclass(frozen=True)
class TicketPayload:
    """The numbers in a QR code; `until` is in minutes since 1970."""

    ticket: int
    event: int
    seat: int
    serial: int
    until: int


def qr_text(ticket: Ticket) -> str:
    payload = b"".join(map(_packed, astuple(payload_of(ticket))))
    signature = ed25519.sign(_own_seed(), CONTEXT + payload)
    return PREFIX + base64url(payload + signature)


def payload_of(ticket: Ticket) -> TicketPayload:
    ends = (ticket.event.ends_at or ticket.event.starts_at) + VALID_AFTER_END
    return TicketPayload(ticket.pk, ticket.event_id, ticket.seat_id, ticket.serial, _minutes(ends))


def verified_payload(qr: str) -> TicketPayload | None:
    """The content of a QR code, if its signature is valid."""
    raw = _raw(qr.removeprefix(PREFIX)) if qr.startswith(PREFIX) and len(qr) <= MAX_LENGTH else b""
    payload, signature = raw[:-SIGNATURE_BYTES], raw[-SIGNATURE_BYTES:]
    if not any(ed25519.verify(key, CONTEXT + payload, signature) for key in public_keys()):
        return None
    numbers = _unpacked(payload)
    return TicketPayload(*numbers) if len(numbers) == 5 else None


def public_keys() -> list[bytes]:
    """The current key first, then earlier ones whose tickets are still valid."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    seeds = [_own_seed(), *map(_derived_seed, secrets)]
    earlier = [_raw(key) for key in settings.TICKET_OLD_KEYS]
    return list(dict.fromkeys([*map(_public, seeds), *earlier]))


def base64url(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _own_seed() -> bytes:
    return _raw(settings.TICKET_KEY) if settings.TICKET_KEY else _derived_seed(settings.SECRET_KEY)


def _derived_seed(secret: str) -> bytes:
    return hmac.digest(secret.encode(), b"ticket key", "sha256")


@cache
def _public(seed: bytes) -> bytes:
    return ed25519.public_key(seed)


def _minutes(moment: datetime) -> int:
    return int(moment.timestamp()) // 60


def _raw(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (Error, ValueError):
        return b""


def _packed(number: int) -> bytes:
    """LEB128: seven bits a byte, lowest first; the eighth bit says that more follow."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _unpacked(payload: bytes) -> list[int]:
    numbers, shift, number = [], 0, 0
    for byte in payload:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            shift = number = 0
    return numbers
